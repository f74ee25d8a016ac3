"""From raw rounds to figures and verdicts: pure, so that a stored run can be judged again.

A *round* is {"round", "records"}, a *record* what rounds.run_once gives. BM-6 to BM-8, BM-12, BM-21.
"""

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

DRIFT_LIMIT = 0.25
ENOUGH_ROUNDS = 7
SAME_LOW, SAME_HIGH = 0.97, 1.03
TIE = 0.05
TOLD_LIMIT = 0.01  # own counts against the kernel's (section 8)
OVERHEAD_BYTES = 64 * 2**20  # declared overhead beside a cap, with 1 % of the result
GIGA = 1e9
PYTHON = "loadstone Python"  # the second of ours, where it has a target of its own
AXIS_0 = "loadstone Python, axis 0"  # what splits along another axis are compared with

Record = dict[str, Any]
Round = dict[str, Any]


@dataclass(frozen=True)
class Spread:
    low: float
    median: float
    high: float


@dataclass
class Line:
    """One contender in one cell."""

    name: str
    kind: str
    ratio: Spread | None = None  # bound / time, go to done
    whole: Spread | None = None  # bound / time, start of the process to done
    peer: Spread | None = None  # time of the best peer / time
    total_s: float = 0.0
    header_s: float | None = None
    gigabytes_s: float = 0.0
    pieces_s: float = 0.0  # shards or tensors
    amplification: float | None = None
    told: float | None = None  # bytes read by its own count / by the kernel's
    requests: int | None = None
    beyond_bytes: int = 0  # peak - base - result, worst round
    cap_held: bool | None = None
    cpu_per_gb: float | None = None
    cached_after: float = 0.0
    rounds: int = 0
    over_axis0: Spread | None = None  # time over that of a split along axis 0
    second: Spread | None = None  # time of the second load over that of the first
    staging_new: int | None = None  # bytes of staging that the second load asked the system for
    out: str = ""  # why it is not in the table


@dataclass
class Judged:
    """One cell."""

    name: str
    valid: list[int] = field(default_factory=list)
    dropped: dict[int, str] = field(default_factory=dict)
    ceilings: dict[str, Spread] = field(default_factory=dict)  # seconds
    lines: list[Line] = field(default_factory=list)
    best_peer: str = ""
    best_pattern: str = ""
    again: float | None = None  # A/A
    binding: str = ""
    verdict: str = ""
    why: str = ""


def spread(values: Iterable[float]) -> Spread:
    ordered = sorted(values)
    if len(ordered) == 1:
        return Spread(ordered[0], ordered[0], ordered[0])
    low, median, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return Spread(low, median, high)


# ---- rounds ----------------------------------------------------------------------------------------------------------


def of(round_: Round, who: str) -> list[Record]:
    return [record for record in round_["records"] if record["who"] == who]


def why_dropped(round_: Round, ceiling: str, is_first: bool) -> str:
    """Why a round does not count; empty if it does."""
    if is_first:
        return "the first"
    for record in round_["records"]:
        if record["void"]:
            return f"{record['who']}: {record['void']}"
    ends = of(round_, ceiling)
    failed = [record["failed"] for record in ends if record["failed"]]
    if failed or len(ends) != 2:
        return f"{ceiling}: {failed[0] if failed else 'not run twice'}"
    times = [record["total_s"] for record in ends]
    drift = max(times) / min(times) - 1
    return f"{ceiling} differed by {drift:.0%}" if drift > DRIFT_LIMIT else ""


def loads_of(cell: dict[str, Any]) -> int:
    """How many loads the clock holds."""
    return 2 if cell["action"] == "twice" else 1


def bound_seconds(cell: dict[str, Any], round_: Round, threads: int) -> float:
    """BM-6: the mean of the two ceilings, and the header loop shared out over threads; for every load."""
    ceiling = cell["ceiling"]
    bound = statistics.fmean(record["total_s"] for record in of(round_, ceiling))
    headers = [] if ceiling == "C5" else of(round_, "C5")
    return loads_of(cell) * (bound + sum(record["total_s"] for record in headers) / threads)


# ---- a cell ----------------------------------------------------------------------------------------------------------


def judge(cell: dict[str, Any], threads: int) -> Judged:
    """All figures of a stored cell: {"name", "ceiling", "entrants", "rounds", "bytes", "cap_bytes", "targets", ...}."""
    judged = Judged(cell["name"])
    for index, round_ in enumerate(cell["rounds"]):
        reason = why_dropped(round_, cell["ceiling"], index == 0)
        if reason:
            judged.dropped[round_["round"]] = reason
        else:
            judged.valid.append(round_["round"])
    rounds = [r for r in cell["rounds"] if r["round"] in judged.valid]
    judged.binding = cell["ceiling"]
    for name in (cell["ceiling"], *cell["beside"]):
        seconds = [record["total_s"] for r in rounds for record in of(r, name) if not record["failed"]]
        if seconds:
            judged.ceilings[name] = spread(seconds)
    for entrant in cell["entrants"]:
        judged.lines.append(line_of(cell, entrant, rounds, threads))
    compare(cell, judged, rounds)
    judged.verdict, judged.why = verdict(cell, judged)
    return judged


def line_of(cell: dict[str, Any], entrant: dict[str, Any], rounds: list[Round], threads: int) -> Line:
    line = Line(entrant["name"], entrant["kind"])
    everywhere = [record for r in cell["rounds"] for record in of(r, line.name)]
    line.out = entrant["refuses"] or next((f"failed: {r['failed']}" for r in everywhere if r["failed"]), "")
    line.out = line.out or next((f"wrong bytes: {r['wrong']}" for r in everywhere if r["wrong"]), "")
    if line.out or not rounds:
        return line
    pairs = [(r, of(r, line.name)[0]) for r in rounds]
    records = [record for _, record in pairs]
    line.rounds = len(pairs)
    line.ratio = spread(bound_seconds(cell, r, threads) / one["total_s"] for r, one in pairs)
    line.whole = spread(bound_seconds(cell, r, threads) / (one["total_s"] + one["start_s"]) for r, one in pairs)
    payload = cell["bytes"] * loads_of(cell)
    line.total_s = statistics.median(one["total_s"] for one in records)
    line.gigabytes_s = payload / line.total_s / GIGA
    line.pieces_s = cell.get("pieces", 0) / line.total_s
    line.header_s = median_of(records, lambda one: one["stages"].get("header", one["stages"].get("discover")))
    if cell["state"] == "cold" and cell["action"] != "scan":
        line.amplification = statistics.median(one["read_bytes"] for one in records) / payload
        if cell["action"] != "twice":  # whose counts are of the second load alone
            line.told = median_of(records, share_told)
    requests = median_of(records, lambda one: one["counts"].get("requests"))
    line.requests = None if requests is None else round(requests)
    result = 0 if cell["cap_bytes"] or cell["action"] == "scan" else cell["bytes"]
    fresh = result // cell.get("ranks", 1) if cell["destination"] == "fresh" else 0
    line.beyond_bytes = max(one["peak_bytes"] - one["base_bytes"] - fresh for one in records)
    if cell["cap_bytes"]:
        allowed = cell["cap_bytes"] + OVERHEAD_BYTES
        line.cap_held = line.beyond_bytes <= allowed
    line.cpu_per_gb = statistics.median(cpu_beyond_touch(r, one) for r, one in pairs) / (payload / GIGA)
    line.cached_after = statistics.median(one["cached_after"] for one in records)
    if cell["action"] == "twice":
        line.second = spread(one["stages"]["second"] / one["stages"]["first"] for one in records)
        line.staging_new = max(one["counts"]["staging_bytes_new"] for one in records)
    return line


def median_of(records: list[Record], figure: Callable[[Record], Any]) -> float | None:
    values = [value for value in map(figure, records) if value is not None]
    return statistics.median(values) if values else None


def share_told(record: Record) -> float | None:
    """Of the bytes that the kernel saw it read from storage, how many its own statistics hold."""
    told = record["counts"].get("bytes_read")
    return told / record["read_bytes"] if told and record["read_bytes"] else None


def cpu_beyond_touch(round_: Round, record: Record) -> float:
    """CPU seconds, less the first touch of the same bytes in the same round."""
    touch = [one["cpu_s"] for one in of(round_, "C6") if not one["failed"]]
    return float(record["cpu_s"]) - (touch[0] if touch else 0.0)


def compare(cell: dict[str, Any], judged: Judged, rounds: list[Round]) -> None:
    """Fills in the best peer, the best pattern, the ratios to the best peer, and A/A."""
    judged.best_peer = fastest(judged.lines, "peer")
    judged.best_pattern = fastest(judged.lines, "pattern")
    if judged.best_peer:
        for line in judged.lines:
            if not line.out:
                line.peer = spread(time_of(r, judged.best_peer) / time_of(r, line.name) for r in rounds)
    if any(line.name == AXIS_0 and not line.out for line in judged.lines) and rounds:
        for line in judged.lines:
            if line.kind == "ours" and not line.out:
                line.over_axis0 = spread(time_of(r, line.name) / time_of(r, AXIS_0) for r in rounds)
    pair = [name for name in cell["same"] if any(line.name == name and not line.out for line in judged.lines)]
    if len(pair) == 2 and rounds:
        judged.again = statistics.median(time_of(r, pair[0]) / time_of(r, pair[1]) for r in rounds)


def time_of(round_: Round, who: str) -> float:
    return float(of(round_, who)[0]["total_s"])


def fastest(lines: list[Line], kind: str) -> str:
    able = [line for line in lines if line.kind == kind and not line.out and line.rounds and line.cap_held is not False]
    return min(able, key=lambda line: line.total_s).name if able else ""


# ---- the verdict -----------------------------------------------------------------------------------------------------


def verdict(cell: dict[str, Any], judged: Judged) -> tuple[str, str]:
    """BM-21, of the first line (ours): win, tie, loss; or why nothing may be claimed: noisy, void, out."""
    line, targets = judged.lines[0], cell["targets"]
    if line.out:
        return "out", line.out
    if len(judged.valid) < ENOUGH_ROUNDS:
        return "noisy", f"{len(judged.valid)} of {len(cell['rounds'])} rounds are valid, {ENOUGH_ROUNDS} are needed"
    if judged.again is not None and not SAME_LOW <= judged.again <= SAME_HIGH:
        return "void", f"the same contender twice differs: A/A {judged.again:.3f}"
    missed = misses(line, judged, targets)
    if line.peer is None:
        return ("target" if not missed else "loss"), "; ".join(missed) or "no peer reads this set"
    if not missed and line.peer.low > 1.0:
        return "win", ""
    if abs(line.peer.median - 1.0) <= TIE:
        return "tie", "; ".join(missed)
    return "loss", "; ".join(missed) or f"lower quartile to the best peer {line.peer.low:.2f}"


def misses(line: Line, judged: Judged, targets: dict[str, Any]) -> list[str]:
    """Targets that were not met, in words."""
    missed = []
    assert line.ratio is not None
    if line.cap_held is False:
        missed.append("over the cap")
    if line.told is not None and abs(line.told - 1) > TOLD_LIMIT:
        missed.append(f"its statistics hold {line.told:.1%} of the bytes that the kernel saw it read")
    if targets.get("bound") and line.ratio.median < targets["bound"]:
        missed.append(f"{line.ratio.median:.2f} of the bound, {targets['bound']:.2f} wanted")
    if targets.get("best_peer") and line.peer and line.peer.median < targets["best_peer"]:
        missed.append(f"{line.peer.median:.2f}x the best peer, {targets['best_peer']:.1f}x wanted")
    if targets.get("within_s") and line.total_s > targets["within_s"]:
        missed.append(f"{line.total_s:.2f} s, {targets['within_s']:.1f} s wanted")
    if targets.get("over_axis0") and line.over_axis0 and line.over_axis0.median > targets["over_axis0"]:
        missed.append(f"{line.over_axis0.median:.2f} of the time of axis 0, {targets['over_axis0']:.1f} wanted")
    if targets.get("second") and line.second and line.second.median > targets["second"]:
        missed.append(f"the second load took {line.second.median:.2f} of the first, {targets['second']:.1f} wanted")
    if targets.get("second") and line.staging_new:
        missed.append(f"the second load asked for {line.staging_new:,} bytes of staging")
    for name, target in ((judged.lines[0].name, "pieces_per_s"), (PYTHON, "python_pieces_per_s")):
        slow = [one.pieces_s for one in judged.lines if one.name == name and one.pieces_s < (targets.get(target) or 0)]
        if slow:
            missed.append(f"{name} {slow[0]:,.0f} a second, {targets[target]:,.0f} wanted")
    if targets.get("cpu_share") and line.cpu_per_gb is not None:
        others = [one.cpu_per_gb for one in judged.lines if one.kind in ("peer", "pattern") and one.cpu_per_gb]
        if others and line.cpu_per_gb > targets["cpu_share"] * min(others):
            wanted = f"{targets['cpu_share']:.1f} of the best buffered {min(others):.2f} wanted"
            missed.append(f"{line.cpu_per_gb:.2f} CPU-s/GB, {wanted}")
    return missed
