"""table.md of a stored run: a line a contender, our stages and the binding term below, what dropped out below that."""

import statistics
from typing import Any

from lib import figures, workloads
from lib.figures import Judged, Line, Spread
from lib.roster import CEILING_TITLES

MIB = 2**20
COLUMNS = [
    "contender",
    "of the bound",
    "with start",
    "x best peer",
    "GB/s",
    "read / wanted",
    "requests",
    "peak - base - result",
    "cap",
    "CPU-s/GB",
    "cached after",
    "rounds",
]


def render(run: dict[str, Any]) -> str:
    threads = run["machine"]["cores"]
    parts = [heading(run)]
    rows = sorted({cell["row"] for cell in run["cells"]})
    for row in rows:
        parts.append(f"## {row}: {workloads.QUESTIONS[row]}\n")
        parts += [cell_text(cell, figures.judge(cell, threads)) for cell in run["cells"] if cell["row"] == row]
    if run["startup"]:
        parts.append(startup_text(run["startup"]))
    parts += [peers_text(run["peers"]), machine_text(run)]
    return "\n".join(parts)


def heading(run: dict[str, Any]) -> str:
    text = f"# Run of {run['date']}, commit {run['commit']}, scale {run['scale']:g}\n\n"
    if not run["quotable"]:
        text += f"**Not quotable**: {'; '.join(run['not_quotable_because'])}.\n\n"
    return text + (
        "Ratios are bound / time, so 1.00 is the ceiling: median (quartiles) over the valid rounds. *bound* is timed\n"
        "from go to done, *with start* from the start of the process (imports, pools). GB/s orients only.\n"
    )


# ---- one cell --------------------------------------------------------------------------------------------------------


def cell_text(cell: dict[str, Any], judged: Judged) -> str:
    lines = [f"### {cell['name']}: {cell['title']}, {cell['bytes'] / MIB:,.0f} MiB, {cell['state']}\n"]
    lines.append(f"**{judged.verdict}**{': ' + judged.why if judged.why else ''}\n")
    able = [line for line in judged.lines if not line.out and line.ratio]
    if able:
        count_pieces = bool(cell["targets"].get("pieces_per_s"))
        names = [*COLUMNS[:5], "tensors/s", *COLUMNS[5:]] if count_pieces else COLUMNS
        lines += [row_text(names), "|---" * len(names) + "|"]
        lines += [line_text(line, len(cell["rounds"]), count_pieces) for line in able]
    out = [f"- {line.name}: {line.out}" for line in judged.lines if line.out]
    return "\n".join([*lines, "", *out, *below(cell, judged)]) + "\n"


def row_text(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def line_text(line: Line, rounds: int, count_pieces: bool) -> str:
    cells = [
        line.name,
        spread_text(line.ratio),
        spread_text(line.whole),
        spread_text(line.peer),
        f"{line.gigabytes_s:.2f}",
        *([f"{line.pieces_s:,.0f}"] if count_pieces else []),
        "-" if line.amplification is None else f"{line.amplification:.3f}",
        "-" if line.requests is None else f"{line.requests:,}",
        f"{line.beyond_bytes / MIB:,.0f} MiB",
        {None: "-", True: "held", False: "**over**"}[line.cap_held],
        "-" if line.cpu_per_gb is None else f"{line.cpu_per_gb:.2f}",
        f"{line.cached_after:.0%}",
        f"{line.rounds} of {rounds}",
    ]
    return row_text(cells)


def spread_text(spread: Spread | None) -> str:
    return "-" if spread is None else f"{spread.median:.2f} ({spread.low:.2f}-{spread.high:.2f})"


def below(cell: dict[str, Any], judged: Judged) -> list[str]:
    """Ceilings, the binding term, our own stages, A/A, dropped rounds."""
    lines = []
    for name, spread in judged.ceilings.items():
        rate = "" if name == "C5" else f", {cell['bytes'] / spread.median / figures.GIGA:.2f} GB/s"
        quartiles = f"{spread.low * 1e3:.1f}-{spread.high * 1e3:.1f}"
        bound = ", **binds**" if name == judged.binding else ""
        lines.append(f"- {name} ({CEILING_TITLES[name]}): {spread.median * 1e3:.1f} ms ({quartiles}){rate}{bound}")
    stages = own_stages(cell, judged)
    if stages:
        lines.append("- our stages, ms: " + ", ".join(f"{name} {ms:.1f}" for name, ms in stages.items()))
    for line in judged.lines:
        if line.over_axis0:
            lines.append(f"- {line.name}: {spread_text(line.over_axis0)} of the time of a split along axis 0")
        if line.second:
            told = f"{spread_text(line.second)} of the time of the first, {line.staging_new:,} new bytes of staging"
            lines.append(f"- second load, {line.name}: {told}")
    if judged.again is not None:
        lines.append(f"- A/A (the same contender twice): {judged.again:.3f}")
    for number, reason in judged.dropped.items():
        lines.append(f"- round {number} dropped: {reason}")
    return lines


def own_stages(cell: dict[str, Any], judged: Judged) -> dict[str, float]:
    """Medians of what the first contender says of itself."""
    name = cell["entrants"][0]["name"]
    records = [one for r in cell["rounds"] if r["round"] in judged.valid for one in figures.of(r, name)]
    names = sorted({stage for one in records for stage in one.get("stages", {})})
    return {stage: 1e3 * statistics.median(one["stages"].get(stage, 0.0) for one in records) for stage in names}


# ---- the rest --------------------------------------------------------------------------------------------------------


def startup_text(startup: dict[str, list[float]]) -> str:
    lines = ["## Startup\n", "| what | ms, median (quartiles) |", "|---|---|"]
    for name, seconds in startup.items():
        spread = figures.spread(1e3 * value for value in seconds)
        lines.append(f"| {name} | {spread.median:.1f} ({spread.low:.1f}-{spread.high:.1f}) |")
    return "\n".join(lines) + "\n"


def peers_text(peers: list[dict[str, str]]) -> str:
    lines = ["## Peers\n", "| peer | wanted | here | reads of these sets |", "|---|---|---|---|"]
    lines += [f"| {peer['name']} | {peer['wanted']} | {peer['state']} | {peer['reads']} |" for peer in peers]
    return "\n".join(lines) + "\n"


def machine_text(run: dict[str, Any]) -> str:
    lines = ["## Machine\n"]
    lines += [f"- {name.replace('_', ' ')}: {plain(value)}" for name, value in run["machine"].items()]
    lines.append(f"- raw read: {plain(run['tuning'])}")
    return "\n".join(lines) + "\n"


def plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
