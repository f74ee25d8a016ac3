"""Digests of what each rank must hold of a data set that is split evenly along an axis; kept beside the set."""

import json
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

from lib import places
from lib.digest import Digests
from lib.sets import BLOCK, DataSet

ITEM_BYTES = {"float32": 4, "uint8": 1}


def even(extent: int, ranks: int) -> list[int]:
    """Where the ranks' parts begin, and the end: the first `extent mod ranks` of them are longer by one."""
    return [rank * (extent // ranks) + min(rank, extent % ranks) for rank in range(ranks + 1)]


def digests(data: DataSet, ranks: int, axis: int) -> list[str]:
    """One a rank, of its part's bytes in C order."""
    kept = Path(data.folder) / f"parts-axis{axis}-of-{ranks}.json"
    if not kept.exists():
        kept.write_text(json.dumps(by_rows(data, ranks) if axis == 0 else by_columns(data, ranks)))
    return list(json.loads(kept.read_text()))


def by_rows(data: DataSet, ranks: int) -> list[str]:
    ends = [row * data.row_bytes for row in even(sum(data.rows), ranks)]
    streams = [Digests(places.DIGEST_LIBRARY).stream() for _ in range(ranks)]
    for begin, block in blocks(data):
        for stream, (first, end) in zip(streams, pairwise(ends), strict=True):
            part = block[max(0, first - begin) : max(0, end - begin)]
            if part:
                stream.add_bytes(part)
    return [stream.take() for stream in streams]


def by_columns(data: DataSet, ranks: int) -> list[str]:
    item = ITEM_BYTES[data.dtype]
    ends = [column * item for column in even(data.row_bytes // item, ranks)]
    streams = [Digests(places.DIGEST_LIBRARY).stream() for _ in range(ranks)]
    for _, block in blocks(data):
        rows = range(0, len(block), data.row_bytes)
        for stream, (first, end) in zip(streams, pairwise(ends), strict=True):
            stream.add_bytes(b"".join(block[row + first : row + end] for row in rows))
    return [stream.take() for stream in streams]


def blocks(data: DataSet) -> Iterator[tuple[int, bytes]]:
    """The payload in whole rows, each block with its place in the array, in bytes."""
    size = max(1, BLOCK // data.row_bytes) * data.row_bytes
    places_of = accumulate((rows * data.row_bytes for rows in data.rows), initial=0)
    for begin, path, rows in zip(places_of, data.paths(0), data.rows, strict=False):
        with open(path, "rb") as file:
            file.seek(-rows * data.row_bytes, 2)
            at = begin
            while block := file.read(size):
                yield at, block
                at += len(block)
