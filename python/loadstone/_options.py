"""From keywords to options: one table each for what finds a dataset, fetches bytes, and lays rows out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from loadstone import _arguments as args
from loadstone import _core
from loadstone._core import Fault
from loadstone._errors import WRONG_TYPE

Check = Callable[[str, Any], Any]


def _names(words: Any) -> dict[str, Any]:
    return {choice.name: choice for choice in words}


def _one_or_more_texts(name: str, value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple, set, frozenset)):
        args.wrong_type(name, "a text or a list of texts", value)
    return [args.text(name, entry) for entry in value]


_DATASET: dict[str, Check] = {
    "format": args.text,
    "order": args.word(_names(_core.Order)),
    "first_index": lambda name, value: value if value == "any" else args.integer(name, value),
    "ignore": _one_or_more_texts,
    "roots": args.path_list,
    "expect_shards": args.natural,
    "expect_rows": args.natural,
    "strict": args.flag,
    "max_header_bytes": args.size,
    "sidecar": args.path,
    "trailing_shape": args.shape,
    "byteorder": args.word({"little": "little", "big": "big"}),
    "header_bytes": args.natural,
    "allow_tail": args.flag,
}

_IO: dict[str, Check] = {
    "backend": args.text,
    "direct": args.text,
    "mapped": args.text,
    "huge_pages": args.text,
    "page_cache": args.text,
    "landing": args.text,
    "fs_class": args.text,
    "request_bytes": args.size,
    "depth": args.positive,
    "threads": args.positive,
    "open_files": args.positive,
    "retries": args.natural,
    "file_stats": args.flag,
}

_LAYOUT: dict[str, Check] = {
    "tiles": args.word(_names(_core.Tiles)),
    "rows_per_rank": args.integers,
    "overdecompose": args.positive,
    "rows": args.bounds,
    "select": args.selection,
    "dtype": args.dtype,
    "casting": args.word(_names(_core.Casting)),
    "budget": args.size,
    "verify": args.word(_names(_core.Verify)),
    "deadline_s": args.seconds,
    "identity": args.word(_names(_core.IdentityRule)),
    "device": args.text,
}

_ATTRIBUTE = {"budget": "budget_bytes"}

# What the calls take beside their own keywords.
DATASET_KEYWORDS = frozenset(_DATASET)
FINDING_KEYWORDS = DATASET_KEYWORDS - {"roots", "strict"}  # those two also count while reading
IO_KEYWORDS = frozenset(f"io_{name}" for name in _IO)
READ_KEYWORDS = DATASET_KEYWORDS | IO_KEYWORDS | {"io"}
LAYOUT_KEYWORDS = READ_KEYWORDS | frozenset(_LAYOUT) | {"split"}


def open_options(given: Mapping[str, object], faults: list[Fault]) -> _core.OpenOptions:
    """Of keywords that find a dataset; those of other kinds are passed over."""
    options = _core.OpenOptions()
    known = {name: value for name, value in given.items() if name in _DATASET}
    if known.get("first_index") == "any":
        options.any_first_index = True
        del known["first_index"]
    _set(options, _DATASET, known, faults)
    return options


def io_options(given: Mapping[str, object], faults: list[Fault]) -> _core.IoOptions:
    """Of `io={...}` and `io_...` keywords."""
    options = _core.IoOptions()
    mapping = given.get("io")
    if mapping is not None and not isinstance(mapping, Mapping):
        args.check(faults, _refuse_io, "io", mapping, None)
        mapping = None
    named = {name.removeprefix("io_"): value for name, value in given.items() if name.startswith("io_")}
    together = {**(mapping or {}), **named}
    refuse_unknown((f"io_{name}" for name in mapping or ()), IO_KEYWORDS, faults)
    _set(options, _IO, {name: value for name, value in together.items() if name in _IO}, faults, prefix="io_")
    return options


def load_options(given: Mapping[str, object], faults: list[Fault]) -> _core.LoadOptions:
    """Of all keywords of a load."""
    options = _core.LoadOptions()
    options.open = open_options(given, faults)
    options.io = io_options(given, faults)
    if "split" in given:
        options.split = args.check(faults, args.optional(args.integer), "split", given["split"], None)
    _set(options, _LAYOUT, {name: value for name, value in given.items() if name in _LAYOUT}, faults)
    return options


def refuse_unknown(given: Iterable[str], known: Iterable[str], faults: list[Fault]) -> None:
    """A keyword that is not known is a fault that names the nearest one."""
    choices = sorted(known)
    for name in sorted(set(given) - set(choices)):
        import difflib

        near = difflib.get_close_matches(name, choices, 1)
        remedy = f"Did you mean {near[0]}?" if near else "See help(loadstone.load) for the keywords."
        message = f"there is no keyword {name}"
        faults.append(Fault(code="bad_argument", kind=WRONG_TYPE, message=message, remedy=remedy, item=name))


def _refuse_io(name: str, value: object) -> None:
    args.wrong_type(name, "a mapping of I/O options", value)


def _set(
    options: object, table: Mapping[str, Check], given: Mapping[str, object], faults: list[Fault], prefix: str = ""
) -> None:
    """Sets the attributes of what is given; None is what is there already."""
    for name, value in given.items():
        if value is not None:
            checked = args.check(faults, table[name], prefix + name, value, None)
            if checked is not None:
                setattr(options, _ATTRIBUTE.get(name, name), checked)
