"""The compiled part of loadstone. Use the package, not this module."""

from collections.abc import Sequence
import enum
import types
from typing import Any, Never

import numpy


def version() -> str:
    """MAJOR.MINOR.PATCH"""

class Fault:
    """One thing that is wrong (a fault) or merely worth saying (a warning)."""

    def __init__(self, *, code: str, kind: str, message: str, remedy: str = '', shard: int | None = None, path: str | None = None, item: str = '', offset: int | None = None, bytes: int | None = None, errno: int = 0, wanted: int | str | list[int] | None = None, got: int | str | list[int] | None = None, set_by: str = '') -> None: ...

    @property
    def code(self) -> str:
        """Stable error code."""

    @property
    def kind(self) -> str:
        """Stable dotted name."""

    @property
    def message(self) -> str:
        """What is wrong, in one sentence."""

    @property
    def remedy(self) -> str | None:
        """What to do about it."""

    @property
    def shard(self) -> int | None:
        """Position of the shard in the dataset."""

    @property
    def path(self) -> str | None:
        """File or directory."""

    @property
    def item(self) -> str | None:
        """Tensor, column or option."""

    @property
    def offset(self) -> int | None:
        """Byte position in the file."""

    @property
    def bytes(self) -> int | None:
        """Length of the range concerned."""

    @property
    def errno(self) -> int | None:
        """Of the system call that failed."""

    @property
    def wanted(self) -> int | str | list[int] | None:
        """A number, a text or a shape."""

    @property
    def got(self) -> int | str | list[int] | None:
        """A number, a text or a shape."""

    @property
    def set_by(self) -> str | None:
        """What fixed the expectation."""

    def to_dict(self) -> dict[str, int | str | list[int]]:
        """The fields that are set."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[object, tuple[dict[str, int | str | list[int]]]]: ...

def fail(faults: list[Fault]) -> Never:
    """Raises the error that has these faults. Local."""

def refuse(faults: list[Fault], comm: Communicator) -> Never:
    """
    Takes part in a collective call with these faults, so that no rank waits; raises on all of them. Collective.
    """

def parse_dtype(text: str) -> str | None:
    """
    NumPy's array-protocol text of a type that Loadstone knows, such as "<f4"; None for any other.
    """

class Distribution:
    """Which box of a global array each rank owns."""

    @staticmethod
    def even(shape: Sequence[int], axis: int, ranks: int) -> Distribution: ...

    @staticmethod
    def cuts(shape: Sequence[int], axis: int, offsets: Sequence[int]) -> Distribution: ...

    @staticmethod
    def counts(shape: Sequence[int], axis: int, lengths: Sequence[int]) -> Distribution: ...

    @staticmethod
    def cyclic(shape: Sequence[int], axis: int, block: int, ranks: int) -> Distribution: ...

    @staticmethod
    def replicated(shape: Sequence[int], ranks: int) -> Distribution: ...

    @staticmethod
    def mesh(shape: Sequence[int], dims: Sequence[int], order: Sequence[int], rules: Sequence[tuple[str, Sequence[int], Sequence[int], int]]) -> Distribution: ...

    @staticmethod
    def parse(text: str, shape: Sequence[int], ranks: int) -> Distribution: ...

    @property
    def shape(self) -> list[int]: ...

    @property
    def ndim(self) -> int: ...

    @property
    def ranks(self) -> int: ...

    @property
    def split(self) -> int | None: ...

    @property
    def is_replicated(self) -> bool: ...

    def box(self, rank: int) -> list[tuple[int, int]]: ...

    def local_shape(self, rank: int) -> list[int]: ...

    def interval(self, rank: int, axis: int) -> tuple[int, int]: ...

    def intervals(self, rank: int, axis: int) -> list[tuple[int, int]]: ...

    def owner(self, axis: int, index: int) -> int: ...

    def to_string(self) -> str: ...

    def hash(self) -> str: ...

    def equals(self, other: Distribution) -> bool: ...

class Communicator:
    """A group of ranks with a message space of its own."""

    @property
    def rank(self) -> int:
        """Number of this rank. Local."""

    @property
    def size(self) -> int:
        """How many ranks. Local."""

    @property
    def description(self) -> str:
        """"self", "threads", "mpi (Open MPI v4.1.4 ...)"."""

    def __repr__(self) -> str: ...

def self_communicator() -> Communicator:
    """This process alone: rank 0 of 1."""

def world_communicator() -> Communicator:
    """
    The world of the launcher that started this process; this process alone if there is none. Collective.
    """

def wrap_mpi4py(library_version: str, address: int, nbytes: int) -> Communicator:
    """A duplicate of an mpi4py communicator. Collective the first time."""

def launcher() -> str:
    """Whose launcher started this process: "none", "openmpi" or "mpich"."""

def find_beside(file: str) -> str | None:
    """
    The path of a file that was installed or built with the MPI modules; None if it was not.
    """

def launched_ranks() -> int:
    """How many ranks that launcher started."""

class Order(enum.Enum):
    auto = 0

    given = 1

    numeric = 2

class Tiles(enum.Enum):
    balanced = 0

    ceil = 1

class Casting(enum.Enum):
    lossless = 0

    checked = 1

    lossy = 2

class Verify(enum.Enum):
    none = 0

    crc = 1

class IdentityRule(enum.Enum):
    strict = 0

    size_mtime = 1

class Slice:
    """begin:end:step of one axis."""

    def __init__(self, begin: int | None = None, end: int | None = None, step: int = 1) -> None: ...

    @property
    def begin(self) -> int | None: ...

    @property
    def end(self) -> int | None: ...

    @property
    def step(self) -> int: ...

class OpenOptions:
    """How a dataset is found and checked."""

    def __init__(self) -> None: ...

    @property
    def format(self) -> str: ...

    @format.setter
    def format(self, arg: str, /) -> None: ...

    @property
    def order(self) -> Order: ...

    @order.setter
    def order(self, arg: Order, /) -> None: ...

    @property
    def first_index(self) -> int | None: ...

    @first_index.setter
    def first_index(self, arg: int | None, /) -> None: ...

    @property
    def any_first_index(self) -> bool: ...

    @any_first_index.setter
    def any_first_index(self, arg: bool, /) -> None: ...

    @property
    def ignore(self) -> list[str]: ...

    @ignore.setter
    def ignore(self, arg: Sequence[str], /) -> None: ...

    @property
    def roots(self) -> list[str]: ...

    @roots.setter
    def roots(self, arg: Sequence[str], /) -> None: ...

    @property
    def expect_shards(self) -> int | None: ...

    @expect_shards.setter
    def expect_shards(self, arg: int | None, /) -> None: ...

    @property
    def expect_rows(self) -> int | None: ...

    @expect_rows.setter
    def expect_rows(self, arg: int | None, /) -> None: ...

    @property
    def strict(self) -> bool: ...

    @strict.setter
    def strict(self, arg: bool, /) -> None: ...

    @property
    def max_header_bytes(self) -> int: ...

    @max_header_bytes.setter
    def max_header_bytes(self, arg: int, /) -> None: ...

    @property
    def sidecar(self) -> str: ...

    @sidecar.setter
    def sidecar(self, arg: str, /) -> None: ...

    @property
    def cast(self) -> str | None: ...

    @cast.setter
    def cast(self, arg: str | None, /) -> None: ...

    @property
    def trailing_shape(self) -> list[int] | None: ...

    @trailing_shape.setter
    def trailing_shape(self, arg: Sequence[int] | None, /) -> None: ...

    @property
    def byteorder(self) -> str: ...

    @byteorder.setter
    def byteorder(self, arg: str, /) -> None: ...

    @property
    def header_bytes(self) -> int | None: ...

    @header_bytes.setter
    def header_bytes(self, arg: int | None, /) -> None: ...

    @property
    def allow_tail(self) -> bool: ...

    @allow_tail.setter
    def allow_tail(self, arg: bool, /) -> None: ...

class IoOptions:
    """How bytes are fetched."""

    def __init__(self) -> None: ...

    @property
    def backend(self) -> str: ...

    @backend.setter
    def backend(self, arg: str, /) -> None: ...

    @property
    def direct(self) -> str: ...

    @direct.setter
    def direct(self, arg: str, /) -> None: ...

    @property
    def mapped(self) -> str: ...

    @mapped.setter
    def mapped(self, arg: str, /) -> None: ...

    @property
    def huge_pages(self) -> str: ...

    @huge_pages.setter
    def huge_pages(self, arg: str, /) -> None: ...

    @property
    def page_cache(self) -> str: ...

    @page_cache.setter
    def page_cache(self, arg: str, /) -> None: ...

    @property
    def landing(self) -> str: ...

    @landing.setter
    def landing(self, arg: str, /) -> None: ...

    @property
    def fs_class(self) -> str: ...

    @fs_class.setter
    def fs_class(self, arg: str, /) -> None: ...

    @property
    def request_bytes(self) -> int: ...

    @request_bytes.setter
    def request_bytes(self, arg: int, /) -> None: ...

    @property
    def depth(self) -> int: ...

    @depth.setter
    def depth(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def open_files(self) -> int: ...

    @open_files.setter
    def open_files(self, arg: int, /) -> None: ...

    @property
    def retries(self) -> int: ...

    @retries.setter
    def retries(self, arg: int, /) -> None: ...

    @property
    def file_stats(self) -> bool: ...

    @file_stats.setter
    def file_stats(self, arg: bool, /) -> None: ...

class Context:
    """What several loads of a process share."""

    def __init__(self, budget_bytes: int | None = None) -> None: ...

    @property
    def budget_bytes(self) -> int | None: ...

    @property
    def idle_bytes(self) -> int: ...

    def trim(self) -> None: ...

class LoadOptions:
    """How a dataset is laid out over ranks and read."""

    def __init__(self) -> None: ...

    @property
    def open(self) -> OpenOptions: ...

    @open.setter
    def open(self, arg: OpenOptions, /) -> None: ...

    @property
    def io(self) -> IoOptions: ...

    @io.setter
    def io(self, arg: IoOptions, /) -> None: ...

    @property
    def split(self) -> int | None: ...

    @split.setter
    def split(self, arg: int | None, /) -> None: ...

    @property
    def tiles(self) -> Tiles: ...

    @tiles.setter
    def tiles(self, arg: Tiles, /) -> None: ...

    @property
    def rows_per_rank(self) -> list[int] | None: ...

    @rows_per_rank.setter
    def rows_per_rank(self, arg: Sequence[int] | None, /) -> None: ...

    @property
    def overdecompose(self) -> int: ...

    @overdecompose.setter
    def overdecompose(self, arg: int, /) -> None: ...

    @property
    def rows(self) -> Slice | None: ...

    @rows.setter
    def rows(self, arg: Slice | None, /) -> None: ...

    @property
    def select(self) -> list[int | Slice | types.EllipsisType]: ...

    @select.setter
    def select(self, arg: Sequence[int | Slice | types.EllipsisType], /) -> None: ...

    @property
    def dtype(self) -> str | None: ...

    @dtype.setter
    def dtype(self, arg: str | None, /) -> None: ...

    @property
    def casting(self) -> Casting: ...

    @casting.setter
    def casting(self, arg: Casting, /) -> None: ...

    @property
    def budget_bytes(self) -> int | None: ...

    @budget_bytes.setter
    def budget_bytes(self, arg: int | None, /) -> None: ...

    @property
    def context(self) -> Context: ...

    @context.setter
    def context(self, arg: Context | None, /) -> None: ...

    @property
    def verify(self) -> Verify: ...

    @verify.setter
    def verify(self, arg: Verify, /) -> None: ...

    @property
    def deadline_s(self) -> float: ...

    @deadline_s.setter
    def deadline_s(self, arg: float, /) -> None: ...

    @property
    def identity(self) -> IdentityRule | None: ...

    @identity.setter
    def identity(self, arg: IdentityRule | None, /) -> None: ...

    @property
    def device(self) -> str: ...

    @device.setter
    def device(self, arg: str, /) -> None: ...

    def set_out(self, bytes: object, dtype: str, shape: list[int]) -> None:
        """Loads into memory that Python owns."""

def parse_bytes(text: str) -> int:
    """The number of bytes of a text such as "64MiB"."""

def format_bytes(nbytes: int) -> str:
    """Such as "64.0 MiB"."""

def parse_selection(text: str) -> list[int | Slice | types.EllipsisType]:
    """The entries of a text such as "1::7,-2"."""

class Shard:
    """
    One input file (or a range of it) that holds one box of the global array.
    """

    @property
    def path(self) -> str:
        """As it can be opened from here."""

    @property
    def name(self) -> str:
        """Relative to its root."""

    @property
    def rows(self) -> int:
        """Extent along the stack axis."""

    @property
    def data_offset(self) -> int:
        """First byte of the payload."""

    @property
    def nbytes(self) -> int:
        """Of the payload."""

    @property
    def order(self) -> str:
        """Memory order of the stored elements: "C" or "F"."""

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """As stored."""

    def __repr__(self) -> str: ...

class Dataset:
    """All shards as one logical array, as found by `loadstone.open`."""

    @property
    def format(self) -> str:
        """"npy", "raw"."""

    @property
    def pattern(self) -> str:
        """Such as "shard_{:04}.npy"."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole array."""

    @property
    def ndim(self) -> int:
        """Number of axes."""

    @property
    def rows(self) -> int:
        """Extent along the stack axis."""

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """In this machine's byte order."""

    @property
    def proof(self) -> str:
        """
        What shows that the dataset is complete: "none", "names", "counts", "manifest".
        """

    @property
    def row_index(self) -> list[int]:
        """First row of each shard, and the number of all rows."""

    @property
    def digest(self) -> str:
        """xxh3-128 over all of this."""

    @property
    def shards(self) -> list[Shard]:
        """In order along the stack axis."""

    @property
    def warnings(self) -> list[Fault]:
        """What is worth saying, but no fault."""

    @property
    def manifest_path(self) -> str | None:
        """The manifest that decided, if there is one."""

    def __repr__(self) -> str: ...

class LoadPlan:
    """The plan of a load, before a byte is read."""

    @property
    def shape(self) -> list[int]: ...

    @property
    def dtype(self) -> str: ...

    def to_text(self) -> str: ...

    def to_json(self) -> str: ...

def make_plan(dataset: Dataset, options: LoadOptions, ranks: int, only_rank: int | None) -> LoadPlan:
    """Plans a load of a dataset in hand. Local."""

class FileStats:
    """What was read of one file."""

    @property
    def path(self) -> str: ...

    @property
    def bytes_read(self) -> int: ...

    @property
    def bytes_buffered(self) -> int: ...

    @property
    def bytes_direct(self) -> int: ...

    @property
    def bytes_mapped(self) -> int: ...

    @property
    def bytes_in_place(self) -> int: ...

    @property
    def bytes_staged(self) -> int: ...

    @property
    def requests(self) -> int: ...

    @property
    def short_reads(self) -> int: ...

    @property
    def retries(self) -> int: ...

    @property
    def opens(self) -> int: ...

    @property
    def slowest_seconds(self) -> float:
        """That a request of it took."""

    @property
    def fallbacks(self) -> list[str]:
        """Reasons."""

    def to_dict(self) -> dict[str, Any]:
        """All fields."""

    def __repr__(self) -> str: ...

class LoadStats:
    """What a load did: bytes, peaks, seconds."""

    @property
    def bytes_wanted(self) -> int: ...

    @property
    def bytes_read(self) -> int: ...

    @property
    def bytes_in_place(self) -> int:
        """Landed in the tile directly."""

    @property
    def bytes_staged(self) -> int:
        """Went through staging."""

    @property
    def bytes_by_way(self) -> dict[str, int]:
        """"buffered", "direct", "mapped"."""

    @property
    def seconds_by_step(self) -> dict[str, float]: ...

    @property
    def windows(self) -> dict[str, int]:
        """File windows by what was found of them: "resident", "cold", ..."""

    @property
    def requests(self) -> int: ...

    @property
    def depth(self) -> int:
        """Most requests in flight."""

    @property
    def short_reads(self) -> int: ...

    @property
    def retries(self) -> int: ...

    @property
    def fallbacks(self) -> dict[str, int]:
        """Reason and how often."""

    @property
    def opens(self) -> int: ...

    @property
    def unverified_bytes(self) -> int: ...

    @property
    def budget_bytes(self) -> int: ...

    @property
    def peak_bytes(self) -> int:
        """Of the budget; the worst rank's in totals."""

    @property
    def peak_by_use(self) -> dict[str, int]: ...

    @property
    def staging_bytes_new(self) -> int:
        """
        Staging memory asked of the system, not taken over from a load before in the context.
        """

    @property
    def huge_page_bytes(self) -> int:
        """Of the tile, on 2 MiB pages; -1: unknown."""

    @property
    def cpu_seconds(self) -> float:
        """Of the process during the call; the worst in totals."""

    @property
    def seconds(self) -> float:
        """Wall clock of the call; the slowest rank's in totals."""

    @property
    def backend(self) -> str: ...

    @property
    def files(self) -> list[FileStats]:
        """
        One `FileStats` a file, by path, where `io_file_stats` asked for them; in totals those of all ranks.
        """

    def to_dict(self) -> dict[str, Any]:
        """All fields."""

    def __repr__(self) -> str: ...

def total(stats: LoadStats, comm: Communicator) -> LoadStats:
    """Sums over ranks. Collective."""

class Buffer:
    """Memory that Python sees without a copy."""

class Array:
    """A global array of which this rank holds one tile."""

    @property
    def shape(self) -> list[int]: ...

    @property
    def ndim(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def itemsize(self) -> int: ...

    @property
    def dtype(self) -> str: ...

    @property
    def split(self) -> int | None: ...

    @property
    def distribution(self) -> Distribution: ...

    @property
    def comm(self) -> Communicator: ...

    @property
    def box(self) -> list[tuple[int, int]]: ...

    @property
    def local_shape(self) -> list[int]: ...

    @property
    def local_size(self) -> int: ...

    @property
    def local_nbytes(self) -> int: ...

    @property
    def local_shapes(self) -> list[list[int]]: ...

    @property
    def displacement(self) -> list[int]: ...

    @property
    def strides(self) -> list[int]: ...

    @property
    def balanced(self) -> bool: ...

    def is_distributed(self) -> bool: ...

    def counts_displs(self) -> tuple[list[int], list[int]]: ...

    @property
    def tile(self) -> memoryview: ...

    @property
    def stats(self) -> LoadStats: ...

    @property
    def warnings(self) -> list[Fault]: ...

    def gather(self, root: int) -> memoryview | None: ...

    def digest(self) -> str: ...

    def summary(self) -> str: ...

class RunOn(enum.Enum):
    """Where the work of a long call runs."""

    own_thread = 0

    calling_thread = 1

class Progress:
    """What a running load tells."""

    @property
    def bytes_done(self) -> int: ...

    @property
    def bytes_wanted(self) -> int: ...

    @property
    def seconds(self) -> float: ...

def open(paths: Sequence[bytes], options: OpenOptions, comm: Communicator) -> Dataset:
    """Finds the shards and checks their headers. Collective."""

def load(paths: Sequence[bytes], options: LoadOptions, comm: Communicator, progress: object | None, run_on: RunOn) -> Array:
    """Loads. Collective."""

def load_dataset(dataset: Dataset, options: LoadOptions, comm: Communicator, progress: object | None, run_on: RunOn) -> Array:
    """Loads a dataset in hand. Collective."""

class BatchStream:
    """The rows of a dataset in batches, in order. Local."""

    def __init__(self, paths: Sequence[bytes], batch_rows: int, options: LoadOptions, progress: object | None) -> None: ...

    def next(self) -> Array | None:
        """The next batch; None at the end or after close()."""

    def close(self) -> None:
        """Ends early: no thread, descriptor or buffer is left."""

    @property
    def dataset(self) -> Dataset: ...

    @property
    def stats(self) -> LoadStats: ...

class VerifyOptions:
    def __init__(self) -> None: ...

    @property
    def open(self) -> OpenOptions: ...

    @open.setter
    def open(self, arg: OpenOptions, /) -> None: ...

    @property
    def io(self) -> IoOptions: ...

    @io.setter
    def io(self, arg: IoOptions, /) -> None: ...

    @property
    def write_manifest(self) -> bool: ...

    @write_manifest.setter
    def write_manifest(self, arg: bool, /) -> None: ...

    @property
    def require_manifest(self) -> bool: ...

    @require_manifest.setter
    def require_manifest(self, arg: bool, /) -> None: ...

    @property
    def structure_only(self) -> bool: ...

    @structure_only.setter
    def structure_only(self, arg: bool, /) -> None: ...

    @property
    def budget_bytes(self) -> int | None: ...

    @budget_bytes.setter
    def budget_bytes(self, arg: int | None, /) -> None: ...

    @property
    def deadline_s(self) -> float: ...

    @deadline_s.setter
    def deadline_s(self, arg: float, /) -> None: ...

class VerifyReport:
    """What `loadstone.verify` found in order."""

    @property
    def shards(self) -> int: ...

    @property
    def shards_verified(self) -> int:
        """Whose content was compared with a manifest."""

    @property
    def bytes_read(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def against_manifest(self) -> bool: ...

    @property
    def manifest_written(self) -> str | None: ...

    @property
    def generation(self) -> int: ...

    @property
    def replaced_generation(self) -> int:
        """
        Of the manifest that was replaced; 0 if there was none that could be read.
        """

    @property
    def changed(self) -> list[str]:
        """Shards whose size or hash the replaced manifest stated otherwise."""

    @property
    def added(self) -> list[str]:
        """Shards that the replaced manifest did not name."""

    @property
    def dropped(self) -> list[str]:
        """Shards that only the replaced manifest named."""

    @property
    def warnings(self) -> list[Fault]: ...

    def __repr__(self) -> str: ...

def verify(paths: Sequence[bytes], options: VerifyOptions, comm: Communicator, progress: object | None, run_on: RunOn) -> VerifyReport:
    """Compares every shard with the manifest. Collective."""

class WriteOptions:
    def __init__(self) -> None: ...

    @property
    def shape(self) -> list[int]: ...

    @shape.setter
    def shape(self, arg: Sequence[int], /) -> None: ...

    @property
    def shards(self) -> int: ...

    @shards.setter
    def shards(self, arg: int, /) -> None: ...

    @property
    def dtype(self) -> str: ...

    @dtype.setter
    def dtype(self, arg: str, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def rows(self) -> str: ...

    @rows.setter
    def rows(self, arg: str, /) -> None: ...

    @property
    def fill(self) -> str: ...

    @fill.setter
    def fill(self, arg: str, /) -> None: ...

    @property
    def format(self) -> str: ...

    @format.setter
    def format(self, arg: str, /) -> None: ...

    @property
    def force(self) -> bool: ...

    @force.setter
    def force(self, arg: bool, /) -> None: ...

class WrittenShard:
    """One shard that `loadstone.write` made."""

    @property
    def name(self) -> str: ...

    @property
    def rows(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def first_row_sum(self) -> float: ...

class WriteReport:
    """What `loadstone.write` made."""

    @property
    def shards(self) -> list[WrittenShard]: ...

    @property
    def manifest(self) -> str: ...

    @property
    def generation(self) -> int: ...

def write(directory: bytes, options: WriteOptions, comm: Communicator, run_on: RunOn) -> WriteReport:
    """Writes a test dataset. Collective."""

class CleanReport:
    """What `loadstone.clean` removed (or would remove) and what it kept."""

    @property
    def removed(self) -> list[str]: ...

    @property
    def kept(self) -> list[tuple[str, str]]:
        """Path and why."""

def clean(directory: bytes, yes: bool) -> CleanReport:
    """Removes what a manifest names. Local."""

class Capability:
    """Something that may or may not be built, or usable here."""

    @property
    def name(self) -> str: ...

    @property
    def built(self) -> bool: ...

    @property
    def usable(self) -> bool: ...

    @property
    def reason(self) -> str:
        """Why it is not usable, or what it is."""

    def __repr__(self) -> str: ...

class Setting:
    """A setting and where it comes from."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> str: ...

    @property
    def origin(self) -> str:
        """"default", "environment", "option"."""

    def __repr__(self) -> str: ...

def known_formats() -> list[Capability]:
    """Formats that can be read."""

def backends() -> list[Capability]:
    """Ways to fetch bytes."""

def communicators() -> list[Capability]:
    """Ways for ranks to reach each other."""

def settings() -> list[Setting]:
    """Every setting and where it comes from."""

def environment_warnings() -> list[Fault]:
    """About LOADSTONE_ names in the environment that mean nothing."""
