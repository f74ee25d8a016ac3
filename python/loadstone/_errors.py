"""The exceptions of Loadstone: one hierarchy with stable codes, and the built-in exception that fits as second base."""

from __future__ import annotations

from loadstone._core import Fault

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BudgetError",
    "ContentError",
    "DeadlineError",
    "Error",
    "Interrupted",
    "MismatchError",
    "NotFoundError",
    "StorageError",
]


class _Fields:
    """What an error knows; the fields of one fault are those of the first, which decides the code."""

    faults: list[Fault]
    total_faults: int
    phase: str | None
    round: int | None
    rank: int | None
    notes: list[str]
    local: BaseException | None

    def _fill(
        self,
        faults: list[Fault],
        total_faults: int | None,
        phase: str | None,
        round: int | None,
        rank: int | None,
        notes: list[str],
        local: BaseException | None,
    ) -> None:
        self.faults = faults
        self.total_faults = len(faults) if total_faults is None else total_faults
        self.phase = phase
        self.round = round
        self.rank = rank
        self.notes = notes
        self.local = local

    @property
    def _first(self) -> Fault | None:
        return self.faults[0] if self.faults else None

    @property
    def code(self) -> str:
        """Stable error code, the same from C++, Python and the command."""
        return self._first.code if self._first else "internal"

    @property
    def kind(self) -> str:
        """Stable dotted name of what is wrong, such as ``shard.truncated``."""
        return self._first.kind if self._first else "internal"

    @property
    def message(self) -> str:
        """What is wrong, in one sentence without the remedy."""
        return self._first.message if self._first else str(self)

    @property
    def remedy(self) -> str | None:
        """What to do about it."""
        return self._first.remedy if self._first else None

    @property
    def path(self) -> str | None:
        """File or directory concerned."""
        return self._first.path if self._first else None

    @property
    def item(self) -> str | None:
        """Tensor, column or option concerned."""
        return self._first.item if self._first else None

    @property
    def shard(self) -> int | None:
        """Position of the shard in the dataset."""
        return self._first.shard if self._first else None

    @property
    def offset(self) -> int | None:
        """Byte position in the file."""
        return self._first.offset if self._first else None

    @property
    def wanted(self) -> int | str | list[int] | None:
        """What should have been; of a budget, the smallest that works."""
        return self._first.wanted if self._first else None

    @property
    def got(self) -> int | str | list[int] | None:
        """What was there instead."""
        return self._first.got if self._first else None

    @property
    def errno(self) -> int | None:  # an OSError's own is read-only here too: the faults decide
        """Of the system call that failed."""
        return self._first.errno if self._first else None


class Error(_Fields, Exception):
    """A failed call. ``str()`` says what happened, where, and what to do; ``faults`` lists all that is wrong.

    On several ranks the same error is raised on all of them; ``rank`` is the one that met it, and ``local`` this
    rank's own error where another's was agreed on.
    """

    def __init__(
        self,
        text: str,
        faults: list[Fault] | None = None,
        *,
        total_faults: int | None = None,
        phase: str | None = None,
        round: int | None = None,
        rank: int | None = None,
        notes: list[str] | None = None,
        local: BaseException | None = None,
    ) -> None:
        super().__init__(text)
        self._fill(faults or [], total_faults, phase, round, rank, notes or [], local)

    def __str__(self) -> str:
        return str(self.args[0])


class NotFoundError(Error, FileNotFoundError):  # type: ignore[override]
    """A path that is not there."""


class StorageError(Error, OSError):  # type: ignore[override]
    """Files that cannot be read or written, are no regular files, lie outside the roots, or changed meanwhile."""


class ContentError(Error, ValueError):
    """Files whose content is malformed, cut off, too large, or not what their checksum says."""


class MismatchError(Error, ValueError):
    """Shards or ranks that disagree, or a cast that would lose values."""


class ArgumentError(Error, ValueError):
    """An argument with a wrong value."""


class ArgumentTypeError(Error, TypeError):
    """An argument of a wrong type."""


class BudgetError(Error, MemoryError):
    """A budget that is too small (``wanted`` is the smallest that works), or memory that could not be had."""


class DeadlineError(Error, TimeoutError):  # type: ignore[override]
    """No progress within the deadline."""


class Interrupted(_Fields, KeyboardInterrupt):
    """Ctrl-C on this rank or another; not an ``Exception``, as no handler of those should swallow it."""

    def __init__(
        self,
        text: str,
        faults: list[Fault] | None = None,
        *,
        total_faults: int | None = None,
        phase: str | None = None,
        round: int | None = None,
        rank: int | None = None,
        notes: list[str] | None = None,
        local: BaseException | None = None,
    ) -> None:
        super().__init__(text)
        self._fill(faults or [], total_faults, phase, round, rank, notes or [], local)


WRONG_TYPE = "argument.type"
WRONG_VALUE = "argument.value"

_CLASS_OF_CODE: dict[str, type[Error | Interrupted]] = {
    "not_found": NotFoundError,
    "not_regular": StorageError,
    "outside_root": StorageError,
    "malformed": ContentError,
    "truncated": ContentError,
    "too_large": ContentError,
    "checksum": ContentError,
    "no_data": ContentError,
    "mismatch": MismatchError,
    "lossy": MismatchError,
    "bad_argument": ArgumentError,
    "io": StorageError,
    "changed": StorageError,
    "no_space": StorageError,
    "budget": BudgetError,
    "out_of_memory": BudgetError,
    "deadline": DeadlineError,
    "cancelled": Interrupted,
}


def from_failure(
    text: str,
    faults: list[Fault],
    *,
    total_faults: int,
    phase: str | None,
    round: int | None,
    rank: int | None,
    notes: list[str],
    local: BaseException | None,
) -> BaseException:
    """The exception of a failure, not raised; called by the compiled part."""
    chosen = _CLASS_OF_CODE.get(faults[0].code, Error)
    if chosen is ArgumentError and faults[0].kind == WRONG_TYPE:
        chosen = ArgumentTypeError
    return chosen(
        text, faults, total_faults=total_faults, phase=phase, round=round, rank=rank, notes=notes, local=local
    )


def fault_from_dict(fields: dict[str, int | str | list[int]]) -> Fault:
    """The fault whose ``to_dict()`` this is; for pickle."""
    return Fault(**fields)  # type: ignore[arg-type]
