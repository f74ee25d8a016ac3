"""Who takes part: Loadstone and its forced ways, the patterns, the peers that can read the sets, and the ceilings."""

from dataclasses import dataclass, field

from lib import places

OURS, WAY, PATTERN, PEER, CEILING = "ours", "way", "pattern", "peer", "ceiling"


@dataclass(frozen=True)
class Entrant:
    """A name as it is printed, what kind it is, and how it is started. `actions` are what it offers at all."""

    name: str
    kind: str
    program: str
    options: dict[str, str] = field(default_factory=dict)
    actions: frozenset[str] = frozenset({"load", "stream"})
    destinations: frozenset[str] = frozenset({"fresh", "present"})
    without: str = ""  # why it does not offer the rest
    module: str = ""  # what it imports from the environment of the peers; empty: the project's environment will do
    by_ranks: bool = False  # runs under a launcher of MPI, for cells of several ranks and for them only

    def command(self, ranks: int = 1) -> list[str]:
        return [*places.launcher(ranks), *self.one_rank()] if self.by_ranks else self.one_rank()

    def one_rank(self) -> list[str]:
        if self.program.endswith(".py"):
            python = places.PEER_PYTHON if self.module else places.PYTHON
            return [str(python), str(places.BENCHMARKS / "contenders" / self.program)]
        return [str(places.PROGRAMS / self.program)]

    def belongs(self, action: str, ranks: int) -> bool:
        """Whether its cells are of this kind at all. What belongs and refuses is listed with its reason."""
        if self.by_ranks != (ranks > 1):
            return False
        return action in self.actions if action in APART else not self.actions <= APART

    def present(self) -> bool:
        if self.module and not list(places.PEER_PYTHON.parents[1].glob(f"lib/python*/site-packages/{self.module}")):
            return False
        return all(places.Path(part).exists() for part in self.one_rank())

    def refuses(self, action: str, destination: str) -> str:
        """Why it cannot take part; empty if it can."""
        if action not in self.actions:
            return self.without or f"offers no {action}"
        if destination not in self.destinations:
            return self.without or "takes no memory that is already there"
        return ""


ALL = frozenset({"load", "stream", "scan", "twice"})
TWICE = frozenset({"twice"})
ENGINE = frozenset({"engine"})
APART = TWICE | ENGINE  # actions for which only those take part who name them
FRESH = frozenset({"fresh"})
OURS_CPP = Entrant("loadstone C++", OURS, "loadstone_cpp", {}, ALL)
OURS_AGAIN = Entrant("loadstone C++ (again)", OURS, "loadstone_cpp", {}, ALL)  # the A/A pair
OURS_BY_RANKS = Entrant("loadstone Python", OURS, "ranks_loadstone.py", by_ranks=True)
OURS_BY_RANKS_AGAIN = Entrant("loadstone Python (again)", OURS, "ranks_loadstone.py", by_ranks=True)
AXIS_0 = Entrant("loadstone Python, axis 0", WAY, "ranks_loadstone.py", {"axis": "0"}, by_ranks=True)
ENGINE_ALONE = Entrant("engine alone", OURS, "engine", {}, ENGINE)
ENGINE_AGAIN = Entrant("engine alone (again)", OURS, "engine", {}, ENGINE)
AGAIN = {OURS_AGAIN.name, OURS_BY_RANKS_AGAIN.name, ENGINE_AGAIN.name}

ENTRANTS = [
    OURS_CPP,
    OURS_AGAIN,
    Entrant("loadstone Python", OURS, "loadstone_python.py", {}, ALL),
    OURS_BY_RANKS,
    OURS_BY_RANKS_AGAIN,
    Entrant("loadstone posix", WAY, "loadstone_cpp", {"backend": "posix"}, ALL),
    Entrant("loadstone uring", WAY, "loadstone_cpp", {"backend": "uring"}, ALL),
    Entrant("loadstone direct=off", WAY, "loadstone_cpp", {"direct": "off"}, ALL),
    Entrant("loadstone mapped=off", WAY, "loadstone_cpp", {"mapped": "off"}, ALL),
    Entrant("loadstone landing=staged", WAY, "loadstone_cpp", {"landing": "staged"}, TWICE),
    AXIS_0,
    ENGINE_ALONE,
    ENGINE_AGAIN,
    Entrant("P1 16 threads, buffered 2 MiB", PATTERN, "read_threads"),
    Entrant("P2 16 MiB pread, memcpy", PATTERN, "read_block"),
    Entrant("P3 mmap, memcpy, 1 thread", PATTERN, "map_copy"),
    Entrant("P4 one rank numpy.load, rows scattered", PATTERN, "ranks_numpy.py", {"way": "scatter"}, by_ranks=True),
    Entrant("P5 every rank reads all, keeps its part", PATTERN, "ranks_numpy.py", {"way": "keep"}, by_ranks=True),
    Entrant("P6 every rank reads its own runs", PATTERN, "ranks_numpy.py", {"way": "runs"}, by_ranks=True),
    Entrant("P7 all-gather of everything", PATTERN, "ranks_numpy.py", {"way": "gather"}, by_ranks=True),
    Entrant(
        "numpy load, concatenate",
        PEER,
        "numpy_load.py",
        {"way": "load"},
        frozenset({"load", "scan"}),
        FRESH,
        "numpy.load takes neither batches nor memory that is already there",
    ),
    Entrant("numpy mmap, copy", PEER, "numpy_load.py", {"way": "mmap"}),
    Entrant("numpy header, readinto", PEER, "numpy_load.py", {"way": "readinto"}),
    Entrant(
        "runai-model-streamer",
        PEER,
        "runai_streamer.py",
        {},
        frozenset({"load", "stream"}),
        FRESH,
        "the streamer takes no memory that is already there, and scans no headers",
        "runai_model_streamer",
    ),
]

CEILINGS = {
    "C1": Entrant("C1", CEILING, "raw_read"),
    "C1r": Entrant("C1r", CEILING, "raw_read", {"ring": "on"}),
    "C2": Entrant("C2", CEILING, "memory_copy", {"how": "stream"}),
    "C2f": Entrant("C2f", CEILING, "memory_copy", {"how": "stream"}),
    "C3": Entrant("C3", CEILING, "memory_copy", {"how": "memcpy"}),
    "C5": Entrant("C5", CEILING, "header_loop"),
    "C6": Entrant("C6", CEILING, "memory_copy", {"how": "touch"}),
}
PRESENT_CEILINGS = frozenset({"C1", "C2", "C3"})  # whose destination is there before the clock

CEILING_TITLES = {
    "C1": "raw direct read, present 2 MiB pages of the same size",
    "C1r": "the same into a small ring that is used again",
    "C2": "non-temporal copy into present pages, all cores",
    "C2f": "non-temporal copy into fresh 2 MiB pages, all cores",
    "C3": "memcpy into present pages, all cores (never the limit)",
    "C5": "open, stat, read 4 KiB, close, file by file",
    "C6": "first touch alone, all cores",
}


def pair(action: str, ranks: int) -> tuple[Entrant, Entrant]:
    """Ours twice: the first is whom a cell is about."""
    if action in ENGINE:
        return ENGINE_ALONE, ENGINE_AGAIN
    return (OURS_CPP, OURS_AGAIN) if ranks == 1 else (OURS_BY_RANKS, OURS_BY_RANKS_AGAIN)
