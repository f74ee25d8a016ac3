"""The rows of the table (W1 ...) and their cells: one cell is one comparison, with one ceiling and its targets."""

from dataclasses import dataclass, field

MIB = 2**20


@dataclass(frozen=True)
class Targets:
    """A figure of None is not asked for. `cpu_share` is of the best buffered contender's CPU-s/GB."""

    bound: float | None = None
    best_peer: float | None = None
    cpu_share: float | None = None
    within_s: float | None = None
    pieces_per_s: float | None = None  # shards or tensors, of ours in C++
    python_pieces_per_s: float | None = None
    over_axis0: float | None = None  # time over that of a split along axis 0, in the same rounds
    second: float | None = None  # time of the second load of a process over that of its first; and no new staging


@dataclass(frozen=True)
class Cell:
    row: str
    name: str
    data: str  # data set
    state: str  # "cold" or "warm"
    ceiling: str  # what opens and closes a round, and is the bound
    action: str = "load"
    destination: str = "fresh"
    cap_bytes: int = 0
    beside: tuple[str, ...] = ()  # ceilings run once a round, for what they tell
    ways: bool = False  # whether Loadstone's forced ways take part
    ranks: int = 1
    axis: int = 0  # that is split over the ranks
    targets: Targets = field(default_factory=Targets)


W1 = Targets(bound=0.90, best_peer=1.2, cpu_share=0.2)
W2 = Targets(bound=0.85, best_peer=1.5)
W2P = Targets(bound=0.90, best_peer=1.5)
W3 = Targets(bound=0.85)
W4 = Targets(bound=0.90)
W4_LAST = Targets(over_axis0=1.5)
W8 = Targets(bound=0.25, within_s=1.0)
SECOND = Targets(second=1.0)
ENGINE = Targets(bound=0.90)
ENGINE_PRESENT = Targets(bound=0.95)
W9 = Targets(pieces_per_s=100_000, python_pieces_per_s=30_000)


def _w3(data: str, cap: int) -> Cell:
    return Cell("W3", f"W3/{data}/{cap}", data, "cold", "C1", "stream", "fresh", cap * MIB, ("C1r", "C5"), targets=W3)


CELLS = [
    *(Cell("W1", f"W1/{s}", s, "cold", "C1", beside=("C1r", "C5", "C6"), ways=s == "C", targets=W1) for s in "CAB"),
    *(
        Cell("W2", f"W2/{s}/fresh", s, "warm", "C2f", beside=("C3", "C5", "C6"), ways=s == "C", targets=W2)
        for s in "CAB"
    ),
    Cell("W2", "W2/C/present", "C", "warm", "C2", destination="present", beside=("C3", "C5"), targets=W2P),
    Cell("W1", "W1/C/engine", "C", "cold", "C1", "engine", beside=("C6",), targets=ENGINE),
    Cell("W1", "W1/C/engine/present", "C", "cold", "C1", "engine", "present", targets=ENGINE_PRESENT),
    Cell("W1", "W1/C/second", "C", "cold", "C1", "twice", beside=("C5",), ways=True, targets=SECOND),
    Cell("W2", "W2/C/second", "C", "warm", "C2f", "twice", beside=("C5",), ways=True, targets=SECOND),
    *(_w3(s, 64) for s in "CAB"),
    *(_w3("C", cap) for cap in (256, 1024)),
    Cell("W4", "W4/C/axis0/2", "C", "cold", "C1", beside=("C5",), ranks=2, targets=W4),
    Cell("W4", "W4/C/last/2", "C", "cold", "C1", beside=("C5",), ways=True, ranks=2, axis=1, targets=W4_LAST),
    Cell("W4", "W4/C/last/2/warm", "C", "warm", "C2f", beside=("C5",), ways=True, ranks=2, axis=1, targets=W4_LAST),
    Cell("W8", "W8/warm", "G", "warm", "C5", "scan", targets=W8),
    Cell("W8", "W8/cold", "G", "cold", "C5", "scan"),
    Cell("W9", "W9/M", "M", "warm", "C2f", beside=("C3", "C6"), targets=W9),
]

QUESTIONS = {
    "W1": "cold, 1 process, all bytes in private memory",
    "W2": "warm, 1 process, destination fresh, then already there",
    "W3": "cold, all memory capped, batches checksummed and dropped",
    "W4": "2 ranks, each its half: split along axis 0, along the last axis",
    "W8": "headers of 10,000 files of one row (names and inodes stay cached, also when cold)",
    "W9": "tensors per second: 200,000 small ones of one file, warm, 1 process",
}


def chosen(only: str) -> list[Cell]:
    """Cells by name ("W1/C"), of a row ("W1") or by the start of their name ("W2/C"); all, if nothing is named."""
    names = {c.name for c in CELLS}

    def means(word: str, cell: Cell) -> bool:
        return cell.name == word if word in names else cell.name.startswith(word + "/")

    words = only.split()
    cells = [c for c in CELLS if not words or any(means(w, c) for w in words)]
    unknown = [w for w in words if not any(means(w, c) for c in CELLS)]
    if unknown:
        raise SystemExit(f"bench: no workload {', '.join(unknown)}; there are {', '.join(c.name for c in CELLS)}")
    return cells
