"""Keywords that several calls share, for type checkers and editors; never imported at run time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import Any, Literal, TypeAlias, TypedDict

import mpi4py.MPI
import numpy.typing

from loadstone._core import Communicator, Dataset, Progress

Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Paths: TypeAlias = Path | Sequence[Path]
Source: TypeAlias = Paths | Dataset
Comm: TypeAlias = Communicator | mpi4py.MPI.Comm
Size: TypeAlias = int | float | str
Bounds: TypeAlias = tuple[int | None, int | None] | Sequence[int] | slice | str
Selection: TypeAlias = int | slice | EllipsisType | Sequence[int | slice | EllipsisType] | str
DTypeLike: TypeAlias = numpy.typing.DTypeLike
OnProgress: TypeAlias = Callable[[Progress], object]
Switch: TypeAlias = Literal["auto", "off"]


class DatasetKeywords(TypedDict, total=False):
    """How a dataset is found and checked."""

    format: str
    order: Literal["auto", "given", "numeric"]
    first_index: int | Literal["any"]
    ignore: str | Sequence[str]
    roots: Paths
    expect_shards: int
    expect_rows: int
    strict: bool
    max_header_bytes: Size
    sidecar: Path
    trailing_shape: int | Sequence[int]
    byteorder: Literal["little", "big"]
    header_bytes: int
    allow_tail: bool


class IoKeywords(TypedDict, total=False):
    """How bytes are fetched: each as ``io_...``, or all in the mapping ``io``."""

    io: Mapping[str, Any]
    io_backend: str
    io_direct: Literal["auto", "on", "off", "require"]
    io_mapped: Switch
    io_huge_pages: Literal["auto", "off", "hugetlb"]
    io_page_cache: Literal["keep", "spare"]
    io_landing: Literal["auto", "staged"]
    io_fs_class: str
    io_request_bytes: Size
    io_depth: int
    io_threads: int
    io_open_files: int
    io_retries: int
    io_file_stats: bool


class ReadKeywords(DatasetKeywords, IoKeywords, total=False):
    """Both."""


class LayoutKeywords(ReadKeywords, total=False):
    """How a dataset is laid out over ranks and read."""

    split: int | None
    budget: Size | None
    dtype: DTypeLike | None
    casting: Literal["lossless", "checked", "lossy"]
    rows: Bounds | None
    select: Selection | None
    rows_per_rank: Sequence[int] | None
    tiles: Literal["balanced", "ceil"]
    overdecompose: int
    verify: Literal["none", "crc"] | None
    deadline_s: float | None
    identity: Literal["strict", "size_mtime"] | None
    device: str
