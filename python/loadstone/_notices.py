"""What a caller should know and no exception says, told once a process through the logger "loadstone"."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadstone._core import Fault


def log_fallbacks(fallbacks: Mapping[str, int]) -> None:
    """What had to be done another way than usual, over any number of loads and streams. Level INFO."""
    for reason in fallbacks:
        _log_once("INFO", reason)


def log_warnings(warnings: Iterable[Fault]) -> None:
    """What is odd about a dataset, though it can be loaded. Level WARNING."""
    for warning in warnings:
        where = f"{warning.path}: " if warning.path else ""
        _log_once("WARNING", f"{where}{warning.message.rstrip('.')}. {warning.remedy or ''}".rstrip())


@functools.lru_cache(maxsize=4096)  # what comes after so many others may be told again
def _log_once(level: str, text: str) -> None:
    import logging  # most processes have nothing to tell

    logging.getLogger("loadstone").log(getattr(logging, level), text)
