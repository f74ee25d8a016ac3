"""The state of the page cache: dropped or filled, and proven by cachestat (Linux 6.5), never assumed."""

import ctypes
import os
from collections.abc import Iterable

PAGE = 4096
COLD_LIMIT = 0.001  # of the pages may be left
WARM_LIMIT = 0.999  # of the pages must be there afterwards
# What a plain copy reads at once, and what read-ahead answers with ever larger pieces of memory: up to 2 MiB. Reads of 4
# MiB leave most of a file in single pages, out of which any copy takes up to twice as long.
BLOCK = 128 * 1024
_CACHESTAT = 451  # the number is the same on all architectures
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Range(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_uint64), ("bytes", ctypes.c_uint64)]


class _Told(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("cached", "dirty", "writeback", "evicted", "recently_evicted")]


class CannotTell(Exception):
    """The kernel or the file system does not say what is cached, so neither cold nor warm can be claimed here."""


def told_of(descriptor: int, size: int) -> _Told:
    told = _Told()
    wanted = _Range(0, size)
    done = _LIBC.syscall(_CACHESTAT, descriptor, ctypes.byref(wanted), ctypes.byref(told), 0)
    if done != 0:
        raise CannotTell(f"cachestat: {os.strerror(ctypes.get_errno())}")
    return told


def cached_pages(descriptor: int, size: int) -> int:
    return int(told_of(descriptor, size).cached)


def share_cached(paths: Iterable[str]) -> float:
    """Share of the pages of these files that are in memory."""
    cached = pages = 0
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            size = os.fstat(descriptor).st_size
            cached += cached_pages(descriptor, size) if size else 0
            pages += -(-size // PAGE)
        finally:
            os.close(descriptor)
    return cached / pages if pages else 0.0


def drop(paths: list[str]) -> float:
    """Puts whole files out of memory, up to three times; what is left, as a share. Nobody may have them mapped."""
    left = 1.0
    for _ in range(3):
        for path in paths:
            drop_file(path)
        left = share_cached(paths)
        if left <= COLD_LIMIT:
            break
    return left


def drop_file(path: str) -> None:
    """Dirty pages stay, so they are written first; where there are none, 10,000 idle flushes would take minutes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        told = told_of(descriptor, os.fstat(descriptor).st_size)
        if told.dirty or told.writeback:
            os.fdatasync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def warm(paths: list[str]) -> float:
    """A full buffered pass, up to three where the kernel takes pages back meanwhile; the share that is in memory then."""
    share = 0.0
    for _ in range(3):
        read_all(paths)
        share = share_cached(paths)
        if share == 1.0:
            break
    return share


def read_all(paths: list[str]) -> None:
    block = bytearray(BLOCK)
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while file.readinto(block):
                pass


def check_telling(path: str) -> None:
    """Raises CannotTell where a page that was just read is not counted (overlayfs)."""
    with open(path, "rb", buffering=0) as file:
        file.read(PAGE)
        if cached_pages(file.fileno(), PAGE) == 0:
            raise CannotTell(
                "cachestat does not count a page that was just read (overlayfs?); move the data: BENCH_DATA"
            )
