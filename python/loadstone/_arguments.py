"""Checks of arguments: each gives the value in the form the compiled part takes, or raises `Wrong` with one fault."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from types import EllipsisType
from typing import Any, NoReturn, TypeVar

from loadstone import _core
from loadstone._core import Fault
from loadstone._errors import WRONG_TYPE, WRONG_VALUE

T = TypeVar("T")

INT64_MAX = 2**63 - 1


class Wrong(Exception):
    """Carries the fault of one argument to whoever collects them."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def wrong_type(name: str, wanted: str, value: object) -> NoReturn:
    got = type(value).__name__
    message = f"{name} must be {wanted}, not {got} ({shown(value)})"
    raise Wrong(
        Fault(code="bad_argument", kind=WRONG_TYPE, message=message, remedy=f"Pass {wanted}.", item=name, got=got)
    )


def wrong_value(name: str, wanted: str, value: object) -> NoReturn:
    message = f"{name} must be {wanted}, not {shown(value)}"
    raise Wrong(
        Fault(
            code="bad_argument",
            kind=WRONG_VALUE,
            message=message,
            remedy=f"Pass {wanted}.",
            item=name,
            got=shown(value),
        )
    )


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def check(faults: list[Fault], convert: Callable[[str, Any], T], name: str, value: object, default: T) -> T:
    """The converted value; where it is wrong, its fault is collected and the default stands in."""
    try:
        return convert(name, value)
    except Wrong as wrong:
        faults.append(wrong.fault)
    return default


# ---- the checks ----------------------------------------------------------------------------------------------------


def integer(name: str, value: object) -> int:
    if isinstance(value, bool):
        wrong_type(name, "an integer", value)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        wrong_type(name, "an integer", value)
    if not -INT64_MAX <= number <= INT64_MAX:
        wrong_value(name, "within 64 bits", value)
    return number


def natural(name: str, value: object) -> int:
    number = integer(name, value)
    if number < 0:
        wrong_value(name, "zero or more", value)
    return number


def positive(name: str, value: object) -> int:
    number = integer(name, value)
    if number < 1:
        wrong_value(name, "one or more", value)
    return number


def integers(name: str, value: object) -> list[int]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        wrong_type(name, "a sequence of integers", value)
    return [integer(f"{name}[{i}]", entry) for i, entry in enumerate(value)]


def shape(name: str, value: object) -> list[int]:
    """Extents; a single integer is a shape of one axis."""
    extents = integers(name, value) if isinstance(value, Iterable) else [integer(name, value)]
    for i, extent in enumerate(extents):
        natural(f"{name}[{i}]", extent)
    return extents


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        wrong_type(name, "True or False", value)
    return value


def text(name: str, value: object) -> str:
    if not isinstance(value, str):
        wrong_type(name, "text", value)
    if not value.isascii() and value.encode("utf-8", "replace").decode("utf-8") != value:
        wrong_value(name, "text that UTF-8 can hold", value)
    return value


def seconds(name: str, value: object) -> float:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        wrong_type(name, "a number of seconds", value)
    number = float(value)
    if not 0 < number < float("inf"):
        wrong_value(name, "a positive number of seconds", value)
    return number


def size(name: str, value: object) -> int:
    """Bytes, as a whole number (1.5e9 is one) or as text such as "64MiB"."""
    if isinstance(value, str):
        try:
            return _core.parse_bytes(value)
        except ValueError:
            wrong_value(name, 'a number of bytes or a text such as "64MiB"', value)
    return natural(name, _whole(name, value) if _is_float(value) else value)


def _is_float(value: object) -> bool:
    """Python's or NumPy's: integers have an `__index__`."""
    return hasattr(value, "is_integer") and not hasattr(value, "__index__")


def _whole(name: str, value: Any) -> int:
    if not value.is_integer():  # nor are nan and inf
        wrong_value(name, "a whole number of bytes", value)
    return int(value)


def word(choices: Mapping[str, T]) -> Callable[[str, object], T]:
    """One of some words; gives what it stands for."""

    def convert(name: str, value: object) -> T:
        known = ", ".join(repr(choice) for choice in choices)
        if not isinstance(value, str):
            wrong_type(name, f"one of {known}", value)
        if value not in choices:
            wrong_value(name, f"one of {known}", value)
        return choices[value]

    return convert


def optional(convert: Callable[[str, object], T]) -> Callable[[str, object], T | None]:
    """None stays None."""
    return lambda name, value: None if value is None else convert(name, value)


# ---- paths, types, selections ----------------------------------------------------------------------------------------


def path(name: str, value: object) -> str:
    try:
        return os.fsdecode(value)  # type: ignore[arg-type]
    except TypeError:
        wrong_type(name, "a path", value)


def path_list(name: str, value: object) -> list[str]:
    if isinstance(value, (str, bytes, os.PathLike)):
        return [path(name, value)]
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        wrong_type(name, "a path or a list of paths", value)
    return [path(f"{name}[{i}]", entry) for i, entry in enumerate(value)]


def raw_paths(name: str, value: object) -> list[bytes]:
    """Paths byte for byte, so that names that are no UTF-8 open too."""
    paths = [os.fsencode(entry) for entry in path_list(name, value)]
    for entry in paths:
        if b"\0" in entry:
            wrong_value(name, "free of NUL bytes", entry)
    return paths


def dtype(name: str, value: object) -> str:
    """NumPy's array-protocol text, from all that numpy.dtype() takes; NumPy is imported only if the text is unknown."""
    given = value if isinstance(value, str) else getattr(value, "str", None)
    known = _core.parse_dtype(given) if isinstance(given, str) else None
    if known is None:
        import numpy

        try:
            known = _core.parse_dtype(numpy.dtype(value).str)  # type: ignore[call-overload]
        except TypeError:
            known = None
    if known is None and not isinstance(value, (str, type)) and not hasattr(value, "dtype"):
        wrong_type(name, "an element type such as 'float32'", value)
    if known is None:
        wrong_value(name, "an element type such as 'float32' or '<f4'", value)
    return known


def bounds(name: str, value: object) -> _core.Slice:
    """(begin, end), a slice, or text such as "5:11"."""
    if isinstance(value, slice):
        return slice_of(name, value)
    if isinstance(value, str):
        entries = selection(name, value)
        if len(entries) != 1 or not isinstance(entries[0], _core.Slice):
            wrong_value(name, "a pair (begin, end)", value)
        return entries[0]
    if not isinstance(value, Iterable):
        wrong_type(name, "a pair (begin, end)", value)
    pair = list(value)
    if len(pair) != 2:
        wrong_value(name, "a pair (begin, end)", value)
    return slice_of(name, slice(*pair))


def slice_of(name: str, value: slice) -> _core.Slice:
    end_of_axis = optional(integer)
    step = 1 if value.step is None else integer(f"{name}: step", value.step)
    return _core.Slice(end_of_axis(f"{name}: begin", value.start), end_of_axis(f"{name}: end", value.stop), step)


def selection(name: str, value: object) -> list[int | _core.Slice | EllipsisType]:
    """One integer or slice an axis and `...` once, alone or in a tuple; or text such as "1::7,-2"."""
    if isinstance(value, str):
        try:
            return _core.parse_selection(value)
        except ValueError:
            wrong_value(name, 'a selection such as "1::7,-2"', value)
    if isinstance(value, list):  # in NumPy it picks indices of one axis: never to be taken for something else
        wrong_type(name, "an integer, a slice, or a tuple of one for each axis", value)
    entries = value if isinstance(value, tuple) else (value,)
    return [_entry(f"{name}[{i}]", entry) for i, entry in enumerate(entries)]


def _entry(name: str, value: object) -> int | _core.Slice | EllipsisType:
    if value is ...:
        return ...
    return slice_of(name, value) if isinstance(value, slice) else integer(name, value)


# ---- memory ----------------------------------------------------------------------------------------------------------


def destination(name: str, value: object) -> tuple[Any, str, list[int]]:
    """Bytes, element type and shape of a NumPy array that can be loaded into."""
    import numpy

    wanted = "a writable NumPy array in C order"
    if not isinstance(value, numpy.ndarray):
        wrong_type(name, wanted, value)
    if not value.flags.writeable:
        wrong_value(name, wanted, "one that is read-only")
    if not value.flags.c_contiguous:
        wrong_value(name, wanted, "one in Fortran order" if value.flags.f_contiguous else "one that is strided")
    return value.reshape(-1).view(numpy.uint8), dtype(name, value.dtype), list(value.shape)
