"""plot.svg of a stored run: bars of the ratio to the bound with quartiles, the ceiling at 1; W3 with its peak."""

from html import escape
from typing import Any

from lib import figures
from lib.figures import Judged, Line

WIDTH, LABEL, ROW, BAR = 960, 260, 18, 12
SCALE = 1.2  # the ratio at the right edge
ROOM = 150  # for text right of the bars
COLOURS = {"ours": "#1f6f5c", "way": "#7db8a8", "pattern": "#9a9a9a", "peer": "#c98a3c"}
MIB = 2**20


def render(run: dict[str, Any]) -> str:
    threads = run["machine"]["cores"]
    body: list[str] = []
    y = 30
    for cell in run["cells"]:
        judged = figures.judge(cell, threads)
        y = draw_cell(body, cell, judged, y)
    size = f'width="{WIDTH}" height="{y + 10}"'
    title = f"bound / time, run of {run['date']}, commit {run['commit']}, scale {run['scale']:g}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
            f'<rect {size} fill="white"/>',
            f'<text x="10" y="18" font-weight="bold">{escape(title)}</text>',
            *body,
            "</svg>\n",
        ]
    )


def at(ratio: float) -> float:
    return LABEL + min(ratio, SCALE) / SCALE * (WIDTH - LABEL - ROOM)


def draw_cell(body: list[str], cell: dict[str, Any], judged: Judged, y: int) -> int:
    lines = [line for line in judged.lines if line.ratio and not line.out]
    body.append(f'<text x="10" y="{y + 14}" font-weight="bold">{escape(cell["name"])}: {escape(judged.verdict)}</text>')
    top = y + 20
    for i, line in enumerate(lines):
        draw_line(body, cell, line, top + i * ROW)
    bottom = top + len(lines) * ROW
    body.append(
        f'<line x1="{at(1):.1f}" y1="{top}" x2="{at(1):.1f}" y2="{bottom}" stroke="black" stroke-dasharray="3 2"/>'
    )
    return bottom + 8


def draw_line(body: list[str], cell: dict[str, Any], line: Line, y: int) -> None:
    assert line.ratio is not None
    ratio, middle = line.ratio, y + BAR / 2
    width = at(ratio.median) - LABEL
    text = f"{ratio.median:.2f}"
    if cell["cap_bytes"]:
        text += f", peak {line.beyond_bytes / MIB:,.0f} of {cell['cap_bytes'] / MIB:,.0f} MiB"
    body += [
        f'<text x="{LABEL - 6}" y="{y + 10}" text-anchor="end">{escape(line.name)}</text>',
        f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{COLOURS[line.kind]}"/>',
        f'<line x1="{at(ratio.low):.1f}" y1="{middle}" x2="{at(ratio.high):.1f}" y2="{middle}" stroke="black"/>',
        f'<text x="{at(max(ratio.high, ratio.median)) + 6:.1f}" y="{y + 10}">{escape(text)}</text>',
    ]
