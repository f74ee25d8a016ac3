"""The numbers of the README: written from one stored run between two marks, and nowhere else."""

import re
from pathlib import Path
from typing import Any

from lib import figures, places, workloads
from lib.figures import Judged
from lib.table import spread_text

README = places.ROOT / "README.md"
MARKS = re.compile(r"<!-- numbers: (?P<run>\S+) -->\n(?P<text>.*?)<!-- /numbers -->\n", re.DOTALL)
NO_RUN = "none"


def numbers(run: dict[str, Any], folder: str) -> str:
    """The text between the marks."""
    if not run["quotable"]:
        return f"No run is quotable yet: {'; '.join(run['not_quotable_because'])}.\n"
    lines = [
        f"{run['machine']['cpu']}, {run['machine']['cores']} cores, {run['machine']['file_system']['type']}; "
        f"commit {run['commit']}. Ratio to the ceiling of the same rounds (1.00 is the hardware), median (quartiles);",
        f"`{command(run)}`; [all lines](benchmarks/results/{folder}/table.md).",
        "",
        "| | Loadstone C++ | Python | best pattern | best peer | x best peer | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [row(figures.judge(cell, run["machine"]["cores"])) for cell in run["cells"]]
    return "\n".join(lines) + "\n"


def command(run: dict[str, Any]) -> str:
    """What runs these cells again."""
    cells = [cell["name"] for cell in run["cells"]]
    only = f' ONLY="{" ".join(cells)}"' if len(cells) < len(workloads.CELLS) else ""
    return f"make bench{only} ROUNDS={len(run['cells'][0]['rounds'])} SCALE={run['scale']:g}"


def row(judged: Judged) -> str:
    by_name = {line.name: line for line in judged.lines if not line.out}

    def ratio(name: str) -> str:
        return spread_text(by_name[name].ratio) if name in by_name else "-"

    ours = judged.lines[0]
    named = [f"{name.split(',')[0]} {ratio(name)}" if name else "-" for name in (judged.best_pattern, judged.best_peer)]
    verdict = f"{judged.verdict}: {judged.why}" if judged.why else judged.verdict
    cpp = "-" if ours.name == figures.PYTHON else ratio(ours.name)  # ranks are measured in Python only
    columns = [judged.name, cpp, ratio(figures.PYTHON), *named, spread_text(ours.peer), verdict]
    return f"| {' | '.join(columns)} |"


def write(run: dict[str, Any], folder: Path, readme: Path = README) -> None:
    text = readme.read_text()
    if not MARKS.search(text):
        raise SystemExit(f"bench: {readme} has no marks <!-- numbers: ... --> and <!-- /numbers -->")
    block = f"<!-- numbers: {folder.name} -->\n{numbers(run, folder.name)}<!-- /numbers -->\n"
    readme.write_text(MARKS.sub(lambda _: block, text))


def stated(readme: Path = README) -> tuple[str, str]:
    """Name of the run that the README quotes, and what it says."""
    found = MARKS.search(readme.read_text())
    return (found["run"], found["text"]) if found else (NO_RUN, "")
