"""Block and depth of the raw read C1: the best of a fixed choice, found once a machine and kept beside the data."""

import json
import statistics

from lib import places, roster
from lib.rounds import Bench, run_once
from lib.sets import DataSet
from lib.workloads import Cell

BLOCKS = (256 * 1024, 1024 * 1024, 4 * 1024 * 1024)
DEPTHS = (8, 16, 32)
ROUNDS = 3


def raw_read(data: DataSet, is_idle: bool) -> dict[str, str]:
    """What was found before on this machine, else what is found now: kept for later runs if the machine is idle."""
    kept = places.data_folder() / "raw_read.json"
    if kept.exists():
        return dict(json.loads(kept.read_text()))
    print("bench: looking for the best block and depth of the raw read (once a machine)", flush=True)
    cell = Cell("C1", "C1", data.name, "cold", "C1")
    times: dict[tuple[int, int], list[float]] = {(block, depth): [] for block in BLOCKS for depth in DEPTHS}
    for _ in range(ROUNDS):
        for block, depth in times:
            bench = Bench(cell, data, [], {"block": str(block), "depth": str(depth)})
            record = run_once(bench, roster.CEILINGS["C1"])
            if record["failed"]:
                raise SystemExit(f"bench: the raw read failed: {record['failed']}")
            times[block, depth].append(record["total_s"])
    block, depth = min(times, key=lambda choice: statistics.median(times[choice]))
    found = {"block": str(block), "depth": str(depth)}
    if is_idle:
        kept.write_text(json.dumps(found))
    return found
