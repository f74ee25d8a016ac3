"""arrays.md section A from Python."""

import numpy as np
import pytest

from loadstone import Distribution, Error, Mesh


def lengths(distribution):
    return [distribution.local_shape(rank)[0] for rank in range(distribution.ranks)]


@pytest.mark.parametrize(
    "extent, wanted", [(10, [3, 3, 2, 2]), (7, [2, 2, 2, 1]), (2, [1, 1, 0, 0]), (0, [0, 0, 0, 0])]
)
def test_a1_even(extent, wanted):
    assert lengths(Distribution.even((extent,), 0, 4)) == wanted


def test_a2_cyclic():
    cyclic = Distribution.cyclic((10,), 0, 3, 2)
    assert cyclic.intervals(0, 0) == [(0, 3), (6, 9)] and cyclic.intervals(1) == [(3, 6), (9, 10)]
    with pytest.raises(Error) as caught:
        cyclic.box(0)
    assert caught.value.code == "bad_argument"


def test_a5_mesh():
    grid = Distribution.mesh((4, 6), Mesh((2, 2)), {0: ((0,), "even"), 1: ((1,), ("counts", [1, 5]))})
    assert [grid.box(rank) for rank in range(4)] == [
        ((0, 2), (0, 1)),
        ((0, 2), (1, 6)),
        ((2, 4), (0, 1)),
        ((2, 4), (1, 6)),
    ]
    shifted = Distribution.mesh((4,), Mesh((4,), [1, 2, 3, 0]), {0: ((0,), "even")})
    assert [shifted.box(rank)[0] for rank in range(4)] == [(3, 4), (0, 1), (1, 2), (2, 3)]
    assert (
        Mesh((2, 3)).ranks == 6 and Mesh((2,)) == Mesh([2]) and repr(Mesh((2,), [1, 0])) == "Mesh((2,), order=(1, 0))"
    )


def test_a7_a_value():
    a, b = Distribution.even((10, 2), 0, 4), Distribution.counts((10, 2), 0, np.array([3, 3, 2, 2]))
    assert a == b and hash(a) == hash(b) and a.hash() == b.hash() and len(a.hash()) == 32
    assert a != Distribution.even((10, 2), 1, 4) and a != "split=0"
    assert Distribution.parse(a.to_string(), (10, 2), 4) == a and str(a) == "split=0" and "split=0" in repr(a)


def test_a7_lists_are_copied():
    offsets = [0, 1, 10]
    distribution = Distribution.cuts((10,), 0, offsets)
    offsets[:] = [0, 0, 0]
    assert lengths(distribution) == [1, 9]


def test_a9_axes():
    assert Distribution.even((4, 5, 6), -1, 3) == Distribution.even((4, 5, 6), 2, 3)
    assert Distribution.even((), 5, 3) == Distribution.replicated((), 3)
    for axis, base in ((2, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError), ((0,), TypeError)):
        with pytest.raises(base) as caught:
            Distribution.even((4, 5), axis, 3)
        assert caught.value.code == "bad_argument"
        assert base is ValueError or type(axis).__name__ in str(caught.value)


def test_lookups_default_to_the_split_axis():
    distribution = Distribution.counts((2, 7), 1, [0, 3, 0, 4, 0])
    assert distribution.interval(1) == (0, 3) and [distribution.owner(i) for i in range(7)] == [1, 1, 1, 3, 3, 3, 3]
    assert distribution.split == 1 and not distribution.is_replicated and distribution.shape == (2, 7)
    table = distribution.to_lshape_map()
    assert table.dtype == np.int64 and table.tolist() == [[2, 0], [2, 3], [2, 0], [2, 4], [2, 0]]
    with pytest.raises(ValueError):
        distribution.box(5)


@pytest.mark.parametrize("lengths", [[3, 3, 3], [5, -1, 6], [10]], ids=str)
def test_a11_invalid_maps(lengths):
    with pytest.raises(ValueError):
        Distribution.counts((10,), 0, lengths if len(lengths) > 1 else [9])
