"""What several loads of a process share."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from loadstone import _arguments as args
from loadstone import _core
from loadstone._core import Fault

if TYPE_CHECKING:
    from loadstone import _keywords as kw


class Context:
    """Keeps staging memory from one load to the next: the second of two equal loads asks the system for none.

    budget  what all loads and streams under way in it, and the memory that is kept, may take together, as a number or
            as text such as "64MiB"; each takes what is free of it, or the `budget` that it is given. None: each its own.

    Each rank has a context of its own. Dropping it or the end of a `with` block gives the memory back.
    """

    def __init__(self, *, budget: kw.Size | None = None) -> None:
        faults: list[Fault] = []
        size = args.check(faults, args.optional(args.size), "budget", budget, None)
        if faults:
            _core.fail(faults)
        self._native = _core.Context(size)

    @property
    def native(self) -> _core.Context:
        """For the calls of this package."""
        return self._native

    @property
    def budget(self) -> int | None:
        """In bytes."""
        return self._native.budget_bytes

    @property
    def idle_bytes(self) -> int:
        """Memory that is kept for the next load."""
        return self._native.idle_bytes

    def trim(self) -> None:
        """Gives the kept memory back to the system."""
        self._native.trim()

    def __enter__(self) -> Context:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.trim()

    def __repr__(self) -> str:
        return f"Context(budget={self.budget}, idle_bytes={self.idle_bytes})"
