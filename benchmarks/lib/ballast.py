"""Memory touched and given back before every timed run, so that nobody pays for pages the host took back (BM-13)."""

import mmap

_POPULATE_WRITE = 23  # Linux 5.14
_HUGE = 2 * 2**20


def touch_and_free(size: int) -> None:
    """Touches `size` bytes (in 2 MiB pages where it can) and frees them."""
    size = max(_HUGE, -(-size // _HUGE) * _HUGE)
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        try:
            memory.madvise(_POPULATE_WRITE)
        except OSError:
            for at in range(0, size, mmap.PAGESIZE):
                memory[at] = 1
