"""The calls: check the arguments, call the compiled part, wrap what comes back.

An argument that is wrong on one rank is told to the others (`refuse`), so that none of them waits.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loadstone import _arguments as args
from loadstone import _comm, _core, _options
from loadstone._array import DistributedArray
from loadstone._context import Context
from loadstone._core import Dataset, Fault
from loadstone._errors import WRONG_VALUE
from loadstone._notices import log_fallbacks, log_warnings
from loadstone._plan import Plan
from loadstone._stream import BatchStream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, Unpack

    from numpy.typing import NDArray

    from loadstone import _keywords as kw


def open(
    paths: kw.Paths,
    *,
    comm: kw.Comm | None = None,
    dtype: kw.DTypeLike | None = None,
    **more: Unpack[kw.DatasetKeywords],
) -> Dataset:
    """Finds the shards and checks their headers, without reading data. All faults come in one `Error`. Collective.

    `paths` are directories, globs, files or manifest files, one or a list. `dtype` is the type that a load
    will cast to; of raw shards without a sidecar, the type of the files.
    """
    ranks = _comm.resolve(comm)
    faults = _first_faults(more, _options.DATASET_KEYWORDS)
    options = _options.open_options(more, faults)
    options.cast = args.check(faults, args.optional(args.dtype), "dtype", dtype, None)
    names = _names(faults, paths)
    if faults:
        _core.refuse(faults, ranks)
    dataset = _core.open(names, options, ranks)
    if ranks.rank == 0:
        log_warnings(dataset.warnings)
    return dataset


def load(
    paths: kw.Source,
    *,
    split: int | None = 0,
    comm: kw.Comm | None = None,
    budget: kw.Size | None = None,
    dtype: kw.DTypeLike | None = None,
    casting: Literal["lossless", "checked", "lossy"] = "lossless",
    rows: kw.Bounds | None = None,
    select: kw.Selection | None = None,
    rows_per_rank: Sequence[int] | None = None,
    tiles: Literal["balanced", "ceil"] = "balanced",
    overdecompose: int = 1,
    verify: Literal["none", "crc"] | None = None,
    deadline_s: float | None = None,
    identity: Literal["strict", "size_mtime"] | None = None,
    device: str = "host",
    out: NDArray[Any] | None = None,
    context: Context | None = None,
    progress: kw.OnProgress | None = None,
    **more: Unpack[kw.ReadKeywords],
) -> DistributedArray:
    """Loads sharded files as one array, of which each rank gets one tile. Collective.

    `paths` are directories, globs, files or manifest files, one or a list, or what `open` returned.

    split          axis that is divided over the ranks; None gives every rank the whole array
    comm           mpi4py communicator; without one, the ranks that a launcher started, else this process alone
    budget         most bytes a rank may hold beside the result, as a number or as text such as "64MiB"
    dtype          type to cast to while reading; None keeps that of the files
    casting        which values a cast may lose: "lossless" none by type, "checked" none in fact, "lossy" any
    rows           (begin, end) of the first axis; `select` takes an integer, slice or `...` for each axis
    rows_per_rank  explicit lengths along the split axis; `tiles="ceil"` rounds up instead of balancing
    verify         "crc" compares what is read with the manifest's sums; a RuntimeWarning says what could not be compared,
                   for want of a sum or of a whole shard, and under `strict` it is an error
    deadline_s     longest time without progress
    out            array that this rank's tile is loaded into, of just its shape and type; after an error its content
                   is undefined
    context        `Context` whose staging memory and budget this load shares with others
    progress       called now and then with what has been read so far

    Further keywords: how the dataset is found (format, order, first_index, ignore, roots, expect_shards, expect_rows,
    strict, max_header_bytes, sidecar, trailing_shape, byteorder, header_bytes, allow_tail), and how bytes are fetched
    (io_backend, io_direct, io_mapped, io_huge_pages, io_page_cache, io_landing, io_fs_class, io_request_bytes,
    io_depth, io_threads, io_open_files, io_retries, or all in a mapping `io`); `io_file_stats` fills in `stats.files`.
    """
    ranks = _comm.resolve(comm)
    given: dict[str, object] = {
        "split": split,
        "budget": budget,
        "dtype": dtype,
        "casting": casting,
        "rows": rows,
        "select": select,
        "rows_per_rank": rows_per_rank,
        "tiles": tiles,
        "overdecompose": overdecompose,
        "verify": verify,
        "deadline_s": deadline_s,
        "identity": identity,
        "device": device,
        **more,
    }
    faults = _first_faults(more, _options.READ_KEYWORDS)
    options = _options.load_options(given, faults)
    destination = args.check(faults, args.optional(args.destination), "out", out, None)
    if destination is not None:
        options.set_out(*destination)
    options.context = args.check(faults, args.optional(_native_context), "context", context, None)
    names = _names(faults, () if isinstance(paths, Dataset) else paths)
    args.check(faults, _callable_or_none, "progress", progress, None)
    _check_opened(paths, more, faults)
    if faults:
        _core.refuse(faults, ranks)
    if isinstance(paths, Dataset):
        array = _core.load_dataset(paths, options, ranks, progress, _comm.run_on(ranks))
    else:
        array = _core.load(names, options, ranks, progress, _comm.run_on(ranks))
    log_fallbacks(array.stats.fallbacks)
    if ranks.rank == 0:
        log_warnings(array.warnings)
    result = DistributedArray(array)
    if verify == "crc":
        _tell_unverified(result, strict=bool(more.get("strict")))
    return result


def plan(
    paths: kw.Source,
    *,
    ranks: int | None = None,
    rank: int | None = None,
    comm: kw.Comm | None = None,
    **layout: Unpack[kw.LayoutKeywords],
) -> Plan:
    """What `load` with the same keywords would do on so many ranks (those of `comm` unless stated). Reads headers only.

    With `rank`, that rank alone is planned in detail. Collective over `comm`, which takes part in finding the shards.
    """
    group = _comm.resolve(comm)
    faults = _first_faults(layout, _options.LAYOUT_KEYWORDS)
    options = _options.load_options(layout, faults)
    number = args.check(faults, args.optional(args.positive), "ranks", ranks, None) or group.size
    only = args.check(faults, args.optional(args.natural), "rank", rank, None)
    names = _names(faults, () if isinstance(paths, Dataset) else paths)
    _check_opened(paths, layout, faults)
    if faults:
        _core.refuse(faults, group)
    if isinstance(paths, Dataset):
        return Plan(_core.make_plan(paths, options, number, only))
    options.open.cast = options.dtype
    dataset = _core.open(names, options.open, group)
    if group.rank == 0:
        log_warnings(dataset.warnings)
    return Plan(_core.make_plan(dataset, options, number, only))


def stream(
    paths: kw.Paths,
    *,
    batch_rows: int,
    context: Context | None = None,
    progress: kw.OnProgress | None = None,
    **layout: Unpack[kw.LayoutKeywords],
) -> BatchStream:
    """Yields the rows in batches of at most `batch_rows`, as NumPy arrays, in order. Local: every process its own.

    Takes the keywords of `load` that choose and convert rows; memory beside the batches stays within `budget`. With a
    `context`, its staging memory and budget are shared with other loads and streams.
    """
    faults = _first_faults(layout, _options.LAYOUT_KEYWORDS)
    options = _options.load_options(layout, faults)
    options.context = args.check(faults, args.optional(_native_context), "context", context, None)
    rows = args.check(faults, args.positive, "batch_rows", batch_rows, 1)
    names = _names(faults, paths)
    args.check(faults, _callable_or_none, "progress", progress, None)
    if faults:
        _core.fail(faults)
    return BatchStream(_core.BatchStream(names, rows, options, progress))


def verify(
    paths: kw.Paths,
    *,
    write_manifest: bool = False,
    require_manifest: bool = False,
    structure_only: bool = False,
    dtype: kw.DTypeLike | None = None,
    comm: kw.Comm | None = None,
    budget: kw.Size | None = None,
    deadline_s: float | None = None,
    progress: kw.OnProgress | None = None,
    **more: Unpack[kw.ReadKeywords],
) -> _core.VerifyReport:
    """Reads every shard once and compares it with the manifest; all troubled shards come in one `Error`. Collective.

    `write_manifest` records a directory as it is; `require_manifest` makes its absence an error. `dtype` is the type of
    raw shards without a sidecar; of others, the one that a load will cast to.
    """
    ranks = _comm.resolve(comm)
    faults = _first_faults(more, _options.READ_KEYWORDS)
    options = _core.VerifyOptions()
    options.open = _options.open_options(more, faults)
    options.open.cast = args.check(faults, args.optional(args.dtype), "dtype", dtype, None)
    options.io = _options.io_options(more, faults)
    options.write_manifest = args.check(faults, args.flag, "write_manifest", write_manifest, False)
    options.require_manifest = args.check(faults, args.flag, "require_manifest", require_manifest, False)
    options.structure_only = args.check(faults, args.flag, "structure_only", structure_only, False)
    options.budget_bytes = args.check(faults, args.optional(args.size), "budget", budget, None)
    options.deadline_s = args.check(faults, args.optional(args.seconds), "deadline_s", deadline_s, None) or 0.0
    names = _names(faults, paths)
    if faults:
        _core.refuse(faults, ranks)
    return _core.verify(names, options, ranks, progress, _comm.run_on(ranks))


def write(
    directory: kw.Path,
    *,
    shape: int | Sequence[int],
    shards: int = 1,
    dtype: kw.DTypeLike = "float32",
    seed: int = 0,
    rows: str | Sequence[int] = "uneven",
    fill: str = "random",
    format: str = "npy",
    force: bool = False,
    comm: kw.Comm | None = None,
) -> _core.WriteReport:
    """Writes a test dataset, all or nothing; its values depend on seed and index alone. Collective.

    rows   "uneven", "uniform", or a length for each shard
    fill   "random", or "index": each element is its own linear index
    force  replaces what a manifest there names (as its next generation)
    """
    ranks = _comm.resolve(comm)
    faults: list[Fault] = []
    options = _core.WriteOptions()
    options.shape = args.check(faults, args.shape, "shape", shape, [])
    options.shards = args.check(faults, args.integer, "shards", shards, 1)
    options.dtype = args.check(faults, args.dtype, "dtype", dtype, "<f4")
    options.seed = args.check(faults, args.natural, "seed", seed, 0)
    options.rows = args.check(faults, _row_rule, "rows", rows, "uneven")
    options.fill = args.check(faults, args.text, "fill", fill, "random")
    options.format = args.check(faults, args.text, "format", format, "npy")
    options.force = args.check(faults, args.flag, "force", force, False)
    folder = args.check(faults, args.raw_paths, "directory", directory, [b""])[0]
    if faults:
        _core.refuse(faults, ranks)
    return _core.write(folder, options, ranks, _comm.run_on(ranks))


def clean(directory: kw.Path, *, yes: bool = False) -> _core.CleanReport:
    """Removes what a manifest names, our temporaries and the manifest; only says what would go, unless `yes`. Local."""
    faults: list[Fault] = []
    folder = args.check(faults, args.raw_paths, "directory", directory, [b""])[0]
    sure = args.check(faults, args.flag, "yes", yes, False)
    if faults:
        _core.fail(faults)
    return _core.clean(folder, sure)


def _names(faults: list[Fault], paths: object) -> list[bytes]:
    """The paths, byte for byte."""
    nothing: list[bytes] = []
    return args.check(faults, args.raw_paths, "paths", paths, nothing)


def _row_rule(name: str, value: object) -> str:
    return value if isinstance(value, str) else ",".join(map(str, args.integers(name, value)))


def _callable_or_none(name: str, value: object) -> None:
    if value is not None and not callable(value):
        args.wrong_type(name, "something to call, or None", value)


def _native_context(name: str, value: object) -> _core.Context:
    if not isinstance(value, Context):
        args.wrong_type(name, "a loadstone.Context", value)
    return value.native


def _first_faults(keywords: Mapping[str, Any], known: frozenset[str]) -> list[Fault]:
    """Faults of the keywords' names; and, once a process, warnings about the environment's."""
    _warn_of_environment()
    faults: list[Fault] = []
    _options.refuse_unknown(keywords, known, faults)
    return faults


def _check_opened(paths: object, given: Mapping[str, object], faults: list[Fault]) -> None:
    """A dataset that was opened is as it was found: what would find it otherwise is refused, not passed over."""
    if not isinstance(paths, Dataset):
        return
    for name in sorted(_options.FINDING_KEYWORDS & given.keys()):
        if given[name] is None or given[name] is False:
            continue  # as if it were not there
        message = f"{name} tells how a dataset is found, and this one was found by open()"
        faults.append(
            Fault(code="bad_argument", kind=WRONG_VALUE, message=message, remedy=f"Give {name} to open().", item=name)
        )
    if given.get("strict"):
        faults.extend(paths.warnings)


def _tell_unverified(array: DistributedArray, strict: bool) -> None:
    """What was asked to be verified and could not be, over all ranks. Collective."""
    total = array.total_stats()
    if total.unverified_bytes == 0:
        return
    message = (
        f"{total.unverified_bytes:,} of {total.bytes_wanted:,} bytes were not verified: no manifest has a sum of their "
        "shards, or only parts of shards were read"
    )
    remedy = (
        'Record sums by loadstone.verify(..., write_manifest=True), and load whole shards, or leave out verify="crc".'
    )
    if strict:
        _core.fail([Fault(code="mismatch", kind="verify.unverified", message=message, remedy=remedy)])
    import warnings

    warnings.warn(f"{message}. {remedy}", RuntimeWarning, stacklevel=3)


@functools.cache
def _warn_of_environment() -> None:
    import warnings

    for warning in _core.environment_warnings():
        warnings.warn(f"{warning.message}. {warning.remedy or ''}".strip(), RuntimeWarning, stacklevel=4)
