"""The array: a whole that is spread over ranks, of which this rank holds one tile."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from loadstone import _arguments as args
from loadstone import _core
from loadstone._core import Communicator, Fault, LoadStats
from loadstone._errors import WRONG_TYPE, WRONG_VALUE
from loadstone._layout import Box, Distribution, checked

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


class DistributedArray:
    """A global array of which this rank holds one tile, in `local`. Made by `loadstone.load`.

    Members are local and never communicate, except `gather`, `item`, `digest` and `total_stats`, which every rank of
    `comm` must call.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _core.Array) -> None:
        self._native = native

    # ---- the whole -------------------------------------------------------------------------------------------------

    @property
    def comm(self) -> Communicator:
        """The ranks that share the array."""
        return self._native.comm

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole."""
        return tuple(self._native.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._native.ndim

    @property
    def size(self) -> int:
        """Elements of the whole."""
        return self._native.size

    @property
    def nbytes(self) -> int:
        """Bytes of the whole."""
        return self._native.nbytes

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Element type, in this machine's byte order."""
        import numpy

        return numpy.dtype(self._native.dtype)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._native.itemsize

    @property
    def distribution(self) -> Distribution:
        """Which box each rank owns."""
        return Distribution(self._native.distribution)

    @property
    def split(self) -> int | None:
        """The axis that is divided over the ranks; None when every rank holds everything."""
        return self._native.split

    @property
    def balanced(self) -> bool:
        """Whether the tiles are as even as can be, or replicated."""
        return self._native.balanced

    def is_distributed(self) -> bool:
        """Whether there is more than one rank and not every one holds everything."""
        return self._native.is_distributed()

    # ---- this rank's tile ------------------------------------------------------------------------------------------

    @property
    def local(self) -> NDArray[Any]:
        """The tile as a NumPy array: the memory itself, writable, kept alive by whoever holds it.

        Assigning copies in, and takes exactly the tile's shape and type.
        """
        import numpy

        return numpy.ndarray(self.local_shape, self.dtype, buffer=self._native.tile)

    @local.setter
    def local(self, value: NDArray[Any]) -> None:
        import numpy

        given, tile = numpy.asarray(value), self.local
        for what, wanted, got, kind in (
            ("shape", tile.shape, given.shape, WRONG_VALUE),
            ("dtype", tile.dtype, given.dtype, WRONG_TYPE),
        ):
            if wanted != got:
                message = f"the tile has {what} {wanted}, the array assigned to it has {got}"
                remedy = "Assign an array of the tile's shape and dtype, or write elements: x.local[...] = value."
                _core.fail(
                    [
                        Fault(
                            code="bad_argument",
                            kind=kind,
                            message=message,
                            remedy=remedy,
                            wanted=str(wanted),
                            got=str(got),
                        )
                    ]
                )
        tile[...] = given

    @property
    def local_shape(self) -> tuple[int, ...]:
        """Of the tile."""
        return tuple(self._native.local_shape)

    @property
    def local_size(self) -> int:
        """Elements of the tile."""
        return self._native.local_size

    @property
    def local_nbytes(self) -> int:
        """Bytes of the tile."""
        return self._native.local_nbytes

    @property
    def box(self) -> Box:
        """Where the tile lies in the whole: (begin, end) an axis."""
        return tuple(self._native.box)

    @property
    def displacement(self) -> tuple[int, ...]:
        """Where the tile begins in the whole."""
        return tuple(self._native.displacement)

    @property
    def local_shapes(self) -> NDArray[numpy.int64]:
        """The shape of every rank's tile: a fresh table (ranks, ndim), computed, not communicated."""
        import numpy

        return numpy.array(self._native.local_shapes, numpy.int64).reshape(self.comm.size, self.ndim)

    @property
    def lshape_map(self) -> NDArray[numpy.int64]:
        """`local_shapes`, by the name it has in Heat."""
        return self.local_shapes

    def counts_displs(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Lengths and starts of all ranks along the split axis; an error when there is no one such axis."""
        import numpy

        counts, displacements = self._native.counts_displs()
        return numpy.array(counts, numpy.int64), numpy.array(displacements, numpy.int64)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one index to the next on each axis of the tile."""
        return tuple(self._native.strides)

    @property
    def order(self) -> str:
        """Memory order of tiles: "C"."""
        return "C"

    @property
    def device(self) -> str:
        """Where the tile lives: "host"."""
        return "host"

    @property
    def memory(self) -> str:
        """Whose memory the tile is: "private" to this process."""
        return "private"

    def local_as(self, library: str) -> Any:
        """The tile as an array of "numpy", "torch" or "jax", over the same memory."""
        views = {"numpy": lambda tile: tile, "torch": _torch_view, "jax": _jax_view}
        return checked(args.word(views), "library", library)(self.local)

    # ---- from tiles to one array -----------------------------------------------------------------------------------

    def gather(self, root: int | None = 0) -> NDArray[Any] | None:
        """The whole as a NumPy array on rank `root` and None elsewhere; on every rank if `root` is None. Collective."""
        import numpy

        number = -1 if root is None else checked(args.integer, "root", root)
        if root is not None and not 0 <= number < self.comm.size:
            _refuse_root(number, self.comm.size)
        buffer = self._native.gather(number)
        return None if buffer is None else numpy.ndarray(self.shape, self.dtype, buffer=buffer)

    def item(self) -> Any:
        """The one element of an array of size one, as a Python value, on every rank. Collective."""
        if self.size != 1:
            message = f"only an array of one element has an item(); this one has shape {self.shape}"
            _core.fail([Fault(code="bad_argument", kind=WRONG_VALUE, message=message, remedy="Use x.gather().")])
        whole = self.gather(root=None)
        assert whole is not None
        return whole.item()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        import numpy

        return numpy.array(self._whole(), dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._whole().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._whole().__dlpack_device__()

    def _whole(self) -> NDArray[Any]:
        if self.local_shape != self.shape:
            message = (
                f"rank {self.comm.rank} of {self.comm.size} holds {self.local_shape} of {self.shape}, so the array "
                "does not convert as a whole"
            )
            remedy = "Use x.local for this rank's tile, or x.gather() for the whole array on one rank."
            _core.fail([Fault(code="bad_argument", kind=WRONG_TYPE, message=message, remedy=remedy)])
        return self.local

    # ---- what can be said about it -----------------------------------------------------------------------------------

    @property
    def stats(self) -> LoadStats:
        """What this rank's load did."""
        return self._native.stats

    @property
    def warnings(self) -> list[Fault]:
        """What was odd about the dataset, where paths were loaded; rank 0 also tells it by the logger "loadstone"."""
        return self._native.warnings

    def total_stats(self) -> LoadStats:
        """`stats` summed over the ranks; peaks and seconds are the worst rank's. Collective."""
        return _core.total(self._native.stats, self._native.comm)

    def digest(self) -> str:
        """128 bits over all elements and where they stand, equal for every rank count and split. Collective."""
        return self._native.digest()

    def __repr__(self) -> str:
        import numpy

        tile = self.local
        text = numpy.array2string(tile, threshold=1000, edgeitems=3) if tile.size else "[]"
        return f"{self._native.summary()}\n{text}"


def _torch_view(tile: NDArray[Any]) -> Any:
    return importlib.import_module("torch").from_dlpack(tile)


def _jax_view(tile: NDArray[Any]) -> Any:
    return importlib.import_module("jax.dlpack").from_dlpack(tile)


def _refuse_root(root: int, ranks: int) -> None:
    message = f"root must be at least 0 and less than {ranks}, not {root}"
    _core.fail(
        [Fault(code="bad_argument", kind=WRONG_VALUE, message=message, remedy="Pass a rank, or None.", item="root")]
    )
