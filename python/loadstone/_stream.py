"""Batches of rows, one after the other, for arrays that should not be in memory as a whole."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from loadstone import _core
from loadstone._array import DistributedArray
from loadstone._notices import log_fallbacks, log_warnings

if TYPE_CHECKING:
    from numpy.typing import NDArray


class BatchStream:
    """Yields the rows of a dataset as NumPy arrays, in order; each owns its memory. Made by `loadstone.stream`.

    Dropping it, `close()` or the end of a `with` block ends it early and leaves no thread, descriptor or buffer.
    """

    def __init__(self, native: _core.BatchStream) -> None:
        self._native = native
        log_warnings(native.dataset.warnings)

    @property
    def dataset(self) -> _core.Dataset:
        """What is streamed."""
        return self._native.dataset

    @property
    def stats(self) -> _core.LoadStats:
        """What the batches took so far, added up; peaks are the highest."""
        return self._native.stats

    def __iter__(self) -> BatchStream:
        return self

    def __next__(self) -> NDArray[Any]:
        batch = self._native.next()
        if batch is None:
            raise StopIteration
        array = DistributedArray(batch)
        log_fallbacks(array.stats.fallbacks)
        return array.local

    def close(self) -> None:
        """Ends the stream; the next batch is none."""
        self._native.close()

    def __enter__(self) -> BatchStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
