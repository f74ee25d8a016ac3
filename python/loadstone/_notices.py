"""What had to be done another way than usual, told through the logger "loadstone" at level INFO."""

from __future__ import annotations

import functools
from collections.abc import Mapping


def log_fallbacks(fallbacks: Mapping[str, int]) -> None:
    """Each reason once a process, over any number of loads and streams."""
    for reason in fallbacks:
        _log_once(reason)


@functools.cache
def _log_once(reason: str) -> None:
    import logging  # most processes have nothing to tell

    logging.getLogger("loadstone").info(reason)
