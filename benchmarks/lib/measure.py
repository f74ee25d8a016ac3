"""`bench run`: the rows that were chosen, round by round, into a stored run."""

import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lib import cache, figures, machine, peers, plot, readme, roster, rounds, startup, store, table, tune, workloads
from lib.rounds import Bench
from lib.sets import DataSet, make_set
from lib.workloads import Cell


def run(only: str, chosen_peers: str, count: int, scale: float, force: bool) -> int:
    words = only.split()
    rows = " ".join(word for word in words if word != "startup")
    cells = workloads.chosen(rows) if rows or not words else []
    folder, stored = store.open_run(scale)
    is_idle = refuse_if_busy(stored, force)
    names = sorted({"C", *(cell.data for cell in cells)})
    data = {name: make_set(name, scale) for name in names}
    cache.check_telling(data["C"].paths(0)[0])
    stored["environment"] = rounds.environment() | {"HOME": "", "PATH": ""}
    stored["peers"] = peers.look()
    stored["tuning"] = tune.raw_read(data["C"], is_idle)
    for cell in cells:
        store.put_cell(stored, measure(cell, data[cell.data], stored["tuning"], chosen_peers, count))
        keep(folder, stored)
    if not words or "startup" in words:
        stored["startup"] = startup.measure(data["C"])
    keep(folder, stored)
    print(f"bench: stored in {os.path.relpath(folder)}")
    return 0


def keep(folder: Path, run: store.Run) -> None:
    """Everything that was measured so far, and what is derived from it."""
    store.save(folder, run)
    report(folder, run)


def report(folder: Path, run: store.Run) -> None:
    (folder / "table.md").write_text(table.render(run))
    (folder / "plot.svg").write_text(plot.render(run))


def refuse_if_busy(stored: store.Run, force: bool) -> bool:
    """BM-14: whether the machine is idle. A run that was forced on a busy one is never quotable again."""
    busy = machine.busy_processes()
    reasons = [f"other processes were busy: {', '.join(busy[:5])}"] if busy else []
    if stored["commit"].endswith(("-dirty", "unknown")):
        reasons.append("the tree differs from its commit")
    if busy and not force:
        raise SystemExit(f"bench: {reasons[0]}; wait, or FORCE=1 for a run that must not be quoted")
    for reason in reasons:
        stored["quotable"] = False
        if reason not in stored["not_quotable_because"]:
            stored["not_quotable_because"].append(reason)
    return not busy


def measure(cell: Cell, data: DataSet, tuning: dict[str, str], chosen_peers: str, count: int) -> dict[str, Any]:
    """The cell as it is stored. Prints each round as it ends."""
    listed = [one for one in roster.ENTRANTS if takes_part(one, cell, chosen_peers)]
    able = [one for one in listed if one.present() and not one.refuses(cell.action, cell.destination)]
    bench = Bench(cell, data, able, tuning)
    start = time.monotonic()
    done = []
    for number in range(count):
        done.append(rounds.run_round(bench, number))
        print(f"bench: {cell.name} round {number + 1} of {count}, {time.monotonic() - start:.0f} s", flush=True)
    stored = stored_cell(cell, data, listed, done)
    judged = figures.judge(stored, os.cpu_count() or 1)
    print(f"bench: {cell.name}: {judged.verdict} {judged.why}", flush=True)
    return stored


def takes_part(entrant: roster.Entrant, cell: Cell, chosen_peers: str) -> bool:
    """Ours and the patterns always; forced ways where the cell asks for them; peers as they were named."""
    if not entrant.belongs(cell.action, cell.ranks):
        return False
    if entrant.kind == roster.WAY:
        return cell.ways
    if entrant.kind == roster.PEER and chosen_peers:
        return any(entrant.name.startswith(word) for word in chosen_peers.split())
    return True


def stored_cell(cell: Cell, data: DataSet, listed: list[roster.Entrant], done: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "row": cell.row,
        "name": cell.name,
        "data": cell.data,
        "title": data.title,
        "state": cell.state,
        "ceiling": cell.ceiling,
        "beside": list(cell.beside),
        "action": cell.action,
        "destination": cell.destination,
        "cap_bytes": cell.cap_bytes,
        "bytes": data.bytes,
        "pieces": len(data.pieces),
        "ranks": cell.ranks,
        "axis": cell.axis,
        "same": [one.name for one in roster.pair(cell.action, cell.ranks)],
        "targets": asdict(cell.targets),
        "entrants": [
            {
                "name": one.name,
                "kind": one.kind,
                "program": one.program,
                "options": one.options,
                "refuses": one.refuses(cell.action, cell.destination) or ("" if one.present() else "absent"),
            }
            for one in listed
        ],
        "rounds": done,
    }


def report_stored(name: str, into_readme: bool) -> int:
    """Table, plot and README numbers from a stored run."""
    folder = store.find(name)
    run = store.load(folder)
    report(folder, run)
    if into_readme:
        readme.write(run, folder)
    print(f"bench: {os.path.relpath(folder)}: table.md, plot.svg{', README.md' if into_readme else ''}")
    return 0
