"""Rounds: ceiling, contenders in rotated order, ceiling; each a fresh process, in a proven cache state."""

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from lib import ballast, cache, parts, places, roster
from lib.contender import Cheated, Failed, Process
from lib.roster import Entrant
from lib.sets import DataSet
from lib.workloads import Cell

LIMIT_S = 300.0  # of one answer: a hang limit, no measure
KEPT_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")


@dataclass
class Bench:
    """What stays the same over the rounds of a cell."""

    cell: Cell
    data: DataSet
    entrants: list[Entrant]
    tuning: dict[str, str]  # block and depth of the raw read
    runs: int = field(default=0)  # counts all runs: copies of the data set are taken in turn
    warmed: set[int] = field(default_factory=set)  # copies whose pages were brought in for this cell, all the same way

    def next_copy(self) -> int:
        self.runs += 1
        return self.runs % self.data.copies


# Launchers refuse root unless told; ranks that share one machine need no network.
OF_LAUNCHERS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_base_warn_component_unused": "0",
}


def environment() -> dict[str, str]:
    """The same for everyone: no LOADSTONE_, no allocator settings, threads = cores."""
    kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    cores = str(os.cpu_count() or 1)
    return (
        kept | {"OMP_NUM_THREADS": cores, "OPENBLAS_NUM_THREADS": cores, "PYTHONDONTWRITEBYTECODE": "1"} | OF_LAUNCHERS
    )


def job_of(bench: Bench, entrant: Entrant, copy: int) -> dict[str, Any]:
    cell, data = bench.cell, bench.data
    options = dict(entrant.options)
    present = cell.destination == "present"
    if entrant.kind == roster.CEILING:
        options |= bench.tuning if entrant.program == "raw_read" else {}
        present = entrant.name in roster.PRESENT_CEILINGS
    if entrant.kind == roster.CEILING or cell.action in roster.ENGINE:
        options |= {"file_bytes": str(data.file_bytes)}  # whose memory may be there before a file is looked at
    return {
        "action": cell.action,
        "form": data.form,
        "folder": str(data.copy(copy)),
        "files": data.files,
        "bytes": data.bytes,
        "row_bytes": data.row_bytes,
        "dtype": data.dtype,
        "cap_bytes": cell.cap_bytes,
        "destination": "present" if present else "fresh",
        "pieces": data.pieces,
        "axis": axis_of(bench, entrant),
        "rows": data.rows,
        "options": options,
        "runs_library": str(places.RUNS_LIBRARY),
        "digest_library": str(places.DIGEST_LIBRARY),
    }


def axis_of(bench: Bench, entrant: Entrant) -> int:
    return int(entrant.options.get("axis", bench.cell.axis))


def set_state(bench: Bench, copy: int) -> None:
    """Cold, or warm: what others left in memory, and how it lies there, is put out before the first time."""
    paths = bench.data.paths(copy)
    if bench.cell.state == "cold" or copy not in bench.warmed:
        cache.drop(paths)
    if bench.cell.state == "warm":
        bench.warmed.add(copy)
        cache.warm(paths)


def wrong_state(state: str, share: float) -> str:
    """Why the state is not the one that was wanted; empty if it is."""
    if state == "cold" and share > cache.COLD_LIMIT:
        return f"{share:.2%} of the pages were still cached"
    if state == "warm" and share < 1.0:
        return f"only {share:.2%} of the pages were cached"
    return ""


def run_once(bench: Bench, entrant: Entrant) -> dict[str, Any]:
    """One measurement, as it goes into run.json. Ceilings and contenders alike."""
    copy = bench.next_copy()
    paths = bench.data.paths(copy)
    record: dict[str, Any] = {"who": entrant.name, "copy": copy, "failed": "", "void": "", "wrong": ""}
    try:
        command, job = entrant.command(bench.cell.ranks), job_of(bench, entrant, copy)
        with Process(command, job, environment(), LIMIT_S) as process:
            start_s = process.ready(str(places.data_folder()))
            set_state(bench, copy)
            ballast.touch_and_free(bench.data.file_bytes + bench.data.bytes)
            before = cache.share_cached(paths)
            if bench.cell.state == "warm" and before < 1.0:  # a kernel that gives idle pages back took some meanwhile
                set_state(bench, copy)
                before = cache.share_cached(paths)
            record["void"] = wrong_state(bench.cell.state, before)
            measured = process.go()
            measured.start_s = start_s
            after = cache.share_cached(paths)
            if bench.cell.state == "warm" and after < cache.WARM_LIMIT:
                record["void"] = record["void"] or f"only {after:.2%} of the pages were cached afterwards"
            record |= asdict(measured) | {"cached_before": before, "cached_after": after}
            if entrant.kind != roster.CEILING:
                record["wrong"] = wrong_bytes(bench, entrant, process.digest())
            process.close()
    except (Failed, Cheated) as error:
        record["failed"] = str(error)
    return record


def wrong_bytes(bench: Bench, entrant: Entrant, told: dict[str, Any]) -> str:
    """What differs from the data set's own digests; empty if nothing does."""
    data = bench.data
    if bench.cell.ranks > 1:
        wanted_parts = parts.digests(data, bench.cell.ranks, axis_of(bench, entrant))
        differ = [rank for rank, part in enumerate(wanted_parts) if told.get("parts", [])[rank : rank + 1] != [part]]
        return f"the part of rank {differ[0]} and of {len(differ) - 1} others" if differ else ""
    if bench.cell.action == "scan":
        wanted = f"{data.dtype} {','.join(map(str, data.rows))}"
        return "" if told.get("scan") == wanted else f"found {str(told.get('scan'))[:80]}"
    if bench.cell.action == "stream" and "whole" in told:
        return "" if told.get("whole") == data.whole else "the batches are not the data"
    got = told.get("pieces", [])
    wrong = [i for i, (a, b) in enumerate(zip(got, data.digests, strict=False)) if a != b]
    if len(got) != len(data.digests):
        return f"{len(got)} pieces instead of {len(data.digests)}"
    return f"piece {wrong[0]} and {len(wrong) - 1} others" if wrong else ""


def run_round(bench: Bench, number: int) -> dict[str, Any]:
    """All records of one round, in the order in which they ran."""
    count = len(bench.entrants)
    rotated = [bench.entrants[(number + i) % count] for i in range(count)]
    beside = [roster.CEILINGS[name] for name in bench.cell.beside]
    ceiling = roster.CEILINGS[bench.cell.ceiling]
    busy = Busy()
    records = [run_once(bench, entrant) for entrant in (ceiling, *beside, *rotated, ceiling)]
    return {"round": number, "records": records, "busy": busy.seconds(), "steal": busy.stolen()}


class Busy:
    """CPU seconds that the whole machine was at work, and that the host took away, since it was made."""

    def __init__(self) -> None:
        self._start = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        hertz = os.sysconf("SC_CLK_TCK")
        return (sum(ticks) - ticks[3] - ticks[4] - ticks[7]) / hertz, ticks[7] / hertz

    def seconds(self) -> float:
        return round(self._now()[0] - self._start[0], 3)

    def stolen(self) -> float:
        return round(self._now()[1] - self._start[1], 3)
