"""Plans: which bytes each rank would read, and where they would land."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loadstone import _core

if TYPE_CHECKING:
    import numpy


class Plan:
    """The plan of a load, before a byte is read. `str()` is what `loadstone plan` prints."""

    __slots__ = ("_native",)

    def __init__(self, native: _core.LoadPlan) -> None:
        self._native = native

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the selected array."""
        return tuple(self._native.shape)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Of the result."""
        import numpy

        return numpy.dtype(self._native.dtype)

    def to_json(self) -> str:
        """The "plan" part of the command's JSON document."""
        return self._native.to_json()

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary."""
        import json

        document: dict[str, Any] = json.loads(self._native.to_json())
        return document

    def __str__(self) -> str:
        return self._native.to_text()

    def __repr__(self) -> str:
        return f"<loadstone.Plan of {self.shape} {self._native.dtype}; print it to see it>"
