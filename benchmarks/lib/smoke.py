"""`bench smoke`: every cell once on small data. No clock is judged: right bytes, and figures that must repeat exactly.

The figures are those of Loadstone with its ways fixed (posix, no direct I/O, no mapping, 1 MiB requests), kept in
load/expected.json. A changed figure fails and is printed with the old one and the command that accepts it.
"""

import json
from dataclasses import replace
from typing import Any

from lib import cache, places, roster, rounds, workloads
from lib.rounds import Bench
from lib.sets import DataSet, check_set, make_set
from lib.workloads import Cell

SCALE = 0.02
EXPECTED = places.BENCHMARKS / "load/expected.json"
ACCEPT = "benchmarks/bench smoke --accept"
FIXED = {"backend": "posix", "direct": "off", "mapped": "off", "request": "1048576", "depth": "4", "budget": "67108864"}
COUNTED_OF_RANKS = ("bytes_wanted", "opens")  # what one rank reads is cached for the next, or not yet
COUNTED = ("bytes_wanted", "bytes_read", "requests", "opens", "shards", "rows")
TUNING = {"block": "1048576", "depth": "8"}


def run(accept: bool) -> int:
    """0 if every byte is right and every figure as expected."""
    data = {name: make_set(name, SCALE) for name in sorted({cell.data for cell in workloads.CELLS})}
    cache.check_telling(data["C"].paths(0)[0])
    wrong: list[str] = []
    figures: dict[str, dict[str, int]] = {}
    for cell in workloads.CELLS:
        figures[cell.name] = exact_figures(cell, data[cell.data], wrong)
        wrong += everyone_once(cell, data[cell.data])
        print(f"bench smoke: {cell.name} {figures[cell.name]}", flush=True)
    wrong += copies_are_as_written(data)
    if accept:
        EXPECTED.parent.mkdir(exist_ok=True)
        EXPECTED.write_text(json.dumps(figures, indent=1) + "\n")
    wrong += differences(figures, json.loads(EXPECTED.read_text()))
    print("\n".join(wrong) or f"bench smoke: {len(figures)} cells, all bytes right, all figures as expected")
    return 1 if wrong else 0


def everyone_once(cell: Cell, data: DataSet) -> list[str]:
    """Runs ceilings and contenders once, but for optional peers; what failed or was wrong."""
    entrants = [entrant for entrant in roster.ENTRANTS if entrant.name not in roster.AGAIN]
    here = [one for one in entrants if one.kind != roster.WAY and not one.module]
    able = [
        one for one in here if one.belongs(cell.action, cell.ranks) and not one.refuses(cell.action, cell.destination)
    ]
    ceilings = [roster.CEILINGS[name] for name in (cell.ceiling, *cell.beside)]
    bench = Bench(cell, data, able, TUNING)
    records = [rounds.run_once(bench, entrant) for entrant in [*ceilings, *able]]
    return [f"{cell.name} {one['who']}: {one[key]}" for one in records for key in ("failed", "wrong") if one[key]]


def exact_figures(cell: Cell, data: DataSet, wrong: list[str]) -> dict[str, int]:
    """Counts of Loadstone with fixed ways, and the memory it held of its budget."""
    fixed = replace(roster.pair(cell.action, cell.ranks)[0], options=FIXED)
    record = rounds.run_once(Bench(cell, data, [fixed], TUNING), fixed)
    problem = record["failed"] or record["wrong"]
    if problem:
        wrong.append(f"{cell.name} loadstone with fixed ways: {problem}")
        return {}
    counts = record["counts"]
    if cell.cap_bytes and counts["budget_peak"] > cell.cap_bytes // 8 * 7:
        wrong.append(f"{cell.name}: {counts['budget_peak']:,} bytes of a budget of {cell.cap_bytes // 8 * 7:,}")
    counted = COUNTED if cell.ranks == 1 else COUNTED_OF_RANKS
    return {name: counts[name] for name in counted if name in counts}


def copies_are_as_written(data: dict[str, DataSet]) -> list[str]:
    return [line for one in data.values() for line in check_set(one)]


def differences(got: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """One line for each figure that changed, with how to accept it."""
    lines = []
    for cell in sorted(got.keys() | wanted.keys()):
        now, old = got.get(cell, {}), wanted.get(cell, {})
        for name in sorted(now.keys() | old.keys()):
            if now.get(name) != old.get(name):
                lines.append(f"{cell} {name}: was {old.get(name)}, is {now.get(name)}")
    return [*lines, f"to accept the new figures: {ACCEPT}"] if lines else []
