"""The one digest routine (xxh3-64, lib/digest.h) for Python: of pieces of a buffer, and of bytes that come in parts."""

import ctypes
from pathlib import Path


class Digests:
    def __init__(self, library: str | Path) -> None:
        if not Path(library).exists():
            raise SystemExit(f"bench: {library} is not built; run `make bench-build`")
        self._library = ctypes.CDLL(str(library))
        self._library.bench_digest_make.restype = ctypes.c_void_p
        self._library.bench_digest_add.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        self._library.bench_digest_take.argtypes = [ctypes.c_void_p]
        self._library.bench_digest_take.restype = ctypes.c_uint64

    def of_pieces(self, address: int, sizes: list[int]) -> list[str]:
        count = len(sizes)
        values = (ctypes.c_uint64 * count)()
        self._library.bench_digest_pieces(
            ctypes.c_void_p(address), (ctypes.c_int64 * count)(*sizes), ctypes.c_int64(count), values
        )
        return [f"{value:016x}" for value in values]

    def of_bytes(self, data: bytes) -> str:
        return self.of_pieces(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0, [len(data)])[0]

    def stream(self) -> "Stream":
        return Stream(self._library)


class Stream:
    """A digest of parts in order; `take` ends it."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._state = library.bench_digest_make()

    def add(self, address: int, size: int) -> None:
        self._library.bench_digest_add(self._state, address, size)

    def add_bytes(self, data: bytes) -> None:
        self.add(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0, len(data))

    def take(self) -> str:
        return f"{self._library.bench_digest_take(self._state):016x}"
