"""Distributions: which box of a global array each rank owns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from loadstone import _arguments as args
from loadstone import _core

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

T = TypeVar("T")

Box = tuple[tuple[int, int], ...]


def checked(convert: Callable[[str, Any], T], name: str, value: object) -> T:
    """The converted argument of a local call; a wrong one is raised at once."""
    try:
        return convert(name, value)
    except args.Wrong as wrong:
        _core.fail([wrong.fault])


class Mesh:
    """A grid of ranks: in C order over `dims`, unless `order`, a permutation, says which rank sits at each place."""

    __slots__ = ("dims", "order")

    def __init__(self, dims: Sequence[int], order: Sequence[int] | None = None) -> None:
        self.dims = tuple(checked(args.shape, "dims", dims))
        self.order = None if order is None else tuple(checked(args.integers, "order", order))

    @property
    def ranks(self) -> int:
        """Product of the dims."""
        product = 1
        for extent in self.dims:
            product *= extent
        return product

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and (self.dims, self.order) == (other.dims, other.order)

    def __hash__(self) -> int:
        return hash((self.dims, self.order))

    def __repr__(self) -> str:
        return f"Mesh({self.dims}{'' if self.order is None else f', order={self.order}'})"


class Distribution:
    """Which box of a global array each rank owns. An immutable value; no communicator.

    Made by `even`, `cuts`, `counts`, `cyclic`, `replicated`, `mesh` or `parse`. Negative axes wrap.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _core.Distribution) -> None:
        self._native = native

    @classmethod
    def even(cls, shape: Sequence[int], axis: int, ranks: int) -> Distribution:
        """The first `extent mod ranks` ranks get one more: 10 over 4 is 3, 3, 2, 2."""
        return cls(_core.Distribution.even(*_shape_axis(shape, axis), checked(args.positive, "ranks", ranks)))

    @classmethod
    def cuts(cls, shape: Sequence[int], axis: int, offsets: Sequence[int]) -> Distribution:
        """ranks + 1 offsets from 0 to the extent."""
        return cls(_core.Distribution.cuts(*_shape_axis(shape, axis), checked(args.integers, "offsets", offsets)))

    @classmethod
    def counts(cls, shape: Sequence[int], axis: int, counts: Sequence[int]) -> Distribution:
        """One length a rank; their sum is the extent."""
        return cls(_core.Distribution.counts(*_shape_axis(shape, axis), checked(args.integers, "counts", counts)))

    @classmethod
    def cyclic(cls, shape: Sequence[int], axis: int, block: int, ranks: int) -> Distribution:
        """Blocks r, r + ranks, r + 2 ranks, ... go to rank r."""
        wanted_block, wanted_ranks = checked(args.integer, "block", block), checked(args.positive, "ranks", ranks)
        return cls(_core.Distribution.cyclic(*_shape_axis(shape, axis), wanted_block, wanted_ranks))

    @classmethod
    def replicated(cls, shape: Sequence[int], ranks: int) -> Distribution:
        """Every rank owns everything."""
        extents = checked(args.shape, "shape", shape)
        return cls(_core.Distribution.replicated(extents, checked(args.positive, "ranks", ranks)))

    @classmethod
    def mesh(cls, shape: Sequence[int], mesh: Mesh, rules: Mapping[int, tuple[Sequence[int], Any]]) -> Distribution:
        """`{axis: (mesh axes, rule)}`: a rule is "even", ("cuts", offsets), ("counts", counts) or ("cyclic", block)."""
        extents = checked(args.shape, "shape", shape)
        native: list[tuple[str, list[int], list[int], int]] = [("whole", [], [], 0) for _ in extents]
        for axis, (mesh_axes, rule) in rules.items():
            at = checked(_axis_of(len(extents)), "axis", axis)
            native[at] = checked(_mesh_rule(mesh_axes), f"rule of axis {axis}", rule)
        return cls(_core.Distribution.mesh(extents, list(mesh.dims), list(mesh.order or ()), native))

    @classmethod
    def parse(cls, text: str, shape: Sequence[int], ranks: int) -> Distribution:
        """From "split=1", "counts=0:1,3,3,3", "cyclic=1:64", "mesh=2x2:0<-0,1<-1" or "replicated"."""
        extents = checked(args.shape, "shape", shape)
        wanted_ranks = checked(args.positive, "ranks", ranks)
        return cls(_core.Distribution.parse(checked(args.text, "text", text), extents, wanted_ranks))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole array."""
        return tuple(self._native.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._native.ndim

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self._native.ranks

    @property
    def split(self) -> int | None:
        """The only axis that is cut; None if replicated, or cut along several."""
        return self._native.split

    @property
    def is_replicated(self) -> bool:
        """Whether every rank owns everything."""
        return self._native.is_replicated

    def box(self, rank: int) -> Box:
        """(begin, end) an axis of what a rank owns; an error on a cyclic axis, which has `intervals`."""
        return tuple(self._native.box(self._rank(rank)))

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """Extents of what a rank owns."""
        return tuple(self._native.local_shape(self._rank(rank)))

    def interval(self, rank: int, axis: int | None = None) -> tuple[int, int]:
        """What a rank owns on an axis (the split axis unless stated), as (begin, end)."""
        return self._native.interval(self._rank(rank), self._axis(axis))

    def intervals(self, rank: int, axis: int | None = None) -> list[tuple[int, int]]:
        """The same for every rule, ascending; several on a cyclic axis."""
        return self._native.intervals(self._rank(rank), self._axis(axis))

    def owner(self, index: int, axis: int | None = None) -> int:
        """The part of an axis (the split axis unless stated) that owns an index."""
        return self._native.owner(self._axis(axis), checked(args.integer, "index", index))

    def to_lshape_map(self) -> NDArray[numpy.int64]:
        """The local shapes as a fresh table (ranks, ndim), as Heat writes it."""
        import numpy

        shapes = [self._native.local_shape(rank) for rank in range(self.ranks)]
        return numpy.array(shapes, numpy.int64).reshape(self.ranks, self.ndim)

    def to_string(self) -> str:
        """The text that `parse` and the command take."""
        return self._native.to_string()

    def hash(self) -> str:
        """32 hexadecimal digits, equal on all platforms for equal distributions."""
        return self._native.hash()

    def _rank(self, rank: int) -> int:
        number = checked(args.integer, "rank", rank)
        if not 0 <= number < self.ranks:
            checked(_refuse(f"at least 0 and less than {self.ranks}"), "rank", rank)
        return number

    def _axis(self, axis: int | None) -> int:
        if axis is None and self.split is not None:
            return self.split
        return checked(_axis_of(self.ndim), "axis", axis)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distribution) and self._native.equals(other._native)

    def __hash__(self) -> int:
        return hash(self._native.hash())

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return f"<loadstone.Distribution {self.to_string()} of {self.shape} on {self.ranks} ranks>"


def _shape_axis(shape: Sequence[int], axis: int) -> tuple[list[int], int]:
    return checked(args.shape, "shape", shape), checked(args.integer, "axis", axis)


def _refuse(wanted: str) -> Callable[[str, object], None]:
    return lambda name, value: args.wrong_value(name, wanted, value)


def _axis_of(ndim: int) -> Callable[[str, object], int]:
    def convert(name: str, value: object) -> int:
        axis = args.integer(name, value)
        if not -ndim <= axis < ndim:
            args.wrong_value(name, f"an axis of {ndim}", value)
        return axis % ndim

    return convert


def _mesh_rule(mesh_axes: Sequence[int]) -> Callable[[str, object], tuple[str, list[int], list[int], int]]:
    def convert(name: str, rule: object) -> tuple[str, list[int], list[int], int]:
        axes = args.integers("mesh axes", mesh_axes)
        pair = (rule, None) if isinstance(rule, str) else rule
        if not isinstance(pair, tuple) or len(pair) != 2:
            args.wrong_type(name, 'a text such as "even" or a pair such as ("cyclic", 64)', rule)
        kind, value = pair
        if kind == "even":
            return "even", axes, [], 0
        if kind == "cuts":
            return "cuts", axes, args.integers(name, value), 0
        if kind == "counts":
            offsets = [0]
            for count in args.integers(name, value):
                offsets.append(offsets[-1] + count)
            return "cuts", axes, offsets, 0
        if kind == "cyclic":
            return "cyclic", axes, [], args.positive(name, value)
        args.wrong_value(name, "even, cuts, counts or cyclic", rule)

    return convert
