"""Every keyword refuses what it cannot mean, naming itself; TypeError for types, ValueError for values."""

import numpy as np
import pytest

import loadstone

WRONG = {
    "split float": ({"split": 0.0}, TypeError, "split"),
    "split text": ({"split": "0"}, TypeError, "split"),
    "split bool": ({"split": True}, TypeError, "split"),
    "split huge": ({"split": 2**70}, ValueError, "split"),
    "budget fraction": ({"budget": 0.5}, ValueError, "budget"),
    "budget nan": ({"budget": float("nan")}, ValueError, "budget"),
    "budget infinite": ({"budget": np.float32("inf")}, ValueError, "budget"),
    "budget beyond 64 bits": ({"budget": 1e30}, ValueError, "budget"),
    "budget negative float": ({"budget": -1.0}, ValueError, "budget"),
    "budget bool": ({"budget": True}, TypeError, "budget"),
    "budget complex": ({"budget": 1j}, TypeError, "budget"),
    "budget text": ({"budget": "lots"}, ValueError, "budget"),
    "budget negative": ({"budget": -1}, ValueError, "budget"),
    "dtype word": ({"dtype": "float33"}, ValueError, "dtype"),
    "dtype object": ({"dtype": object}, ValueError, "dtype"),
    "dtype number": ({"dtype": 4}, TypeError, "dtype"),
    "casting": ({"casting": "maybe"}, ValueError, "casting"),
    "ignore number": ({"ignore": 5}, TypeError, "ignore"),
    "tiles": ({"tiles": "square"}, ValueError, "tiles"),
    "tiles type": ({"tiles": 3}, TypeError, "tiles"),
    "rows length": ({"rows": (1, 2, 3)}, ValueError, "rows"),
    "rows number": ({"rows": 3}, TypeError, "rows"),
    "rows float": ({"rows": (0, 2.5)}, TypeError, "rows: end"),
    "select float": ({"select": (slice(0, 2), 1.5)}, TypeError, "select[1]"),
    "select ellipses": ({"select": (..., 0, ...)}, ValueError, "select"),
    "select list": ({"select": [0, 2]}, TypeError, "select"),
    "select none": ({"select": (None, ...)}, TypeError, "select[0]"),
    "rows ellipsis": ({"rows": "..."}, ValueError, "rows"),
    "select text": ({"select": "a:b"}, ValueError, "select"),
    "rows_per_rank text": ({"rows_per_rank": "17"}, TypeError, "rows_per_rank"),
    "rows_per_rank fraction": ({"rows_per_rank": [8.5, 8.5]}, TypeError, "rows_per_rank[0]"),
    "overdecompose": ({"overdecompose": 0}, ValueError, "overdecompose"),
    "verify": ({"verify": "md5"}, ValueError, "verify"),
    "deadline text": ({"deadline_s": "soon"}, TypeError, "deadline_s"),
    "deadline zero": ({"deadline_s": 0}, ValueError, "deadline_s"),
    "strict": ({"strict": 1}, TypeError, "strict"),
    "order": ({"order": "random"}, ValueError, "order"),
    "ignore": ({"ignore": ["*.bak", 3]}, TypeError, "ignore"),
    "io": ({"io": "fast"}, TypeError, "io"),
    "io entry": ({"io": {"depth": "deep"}}, TypeError, "io_depth"),
    "io word": ({"io": {"speed": 1}}, TypeError, "io_speed"),
    "io keyword": ({"io_depth": 0}, ValueError, "io_depth"),
    "unknown": ({"buget": "1MiB"}, TypeError, "buget"),
    "progress": ({"progress": 3}, TypeError, "progress"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_keyword_is_named(run42, name):
    keywords, base, item = WRONG[name]
    with pytest.raises(base) as caught:
        loadstone.load(run42, **keywords)
    assert isinstance(caught.value, loadstone.Error) and caught.value.code == "bad_argument"
    assert caught.value.item == item and caught.value.remedy


@pytest.mark.parametrize("call", [loadstone.open, loadstone.load, loadstone.plan, loadstone.verify])
def test_a_format_that_there_is_not_lists_the_known_and_the_nearest(run42, call):
    with pytest.raises(ValueError, match="Did you mean npy") as caught:
        call(run42, format="nyp")
    assert (caught.value.code, caught.value.item) == ("bad_argument", "format")
    assert "safetensors" in caught.value.remedy and len(caught.value.faults) == 1


@pytest.mark.parametrize("paths", [3, None, {"a": 1}, [1], ["a\0b"]], ids=str)
def test_paths_of_a_wrong_kind(paths):
    with pytest.raises((TypeError, ValueError)) as caught:
        loadstone.load(paths)
    assert caught.value.code == "bad_argument" and caught.value.item.startswith("paths")


def test_all_wrong_keywords_come_in_one_error(run42):
    with pytest.raises(loadstone.Error) as caught:
        loadstone.load(run42, split="0", budget="lots", order=3)
    assert sorted(fault.item for fault in caught.value.faults) == ["budget", "order", "split"]


def test_a_misspelt_keyword_is_told_the_right_one(run42):
    with pytest.raises(TypeError, match="io_direct"):
        loadstone.load(run42, io_dirct="on")


def test_keywords_of_another_call_are_refused(run42):
    with pytest.raises(TypeError):
        loadstone.open(run42, split=0)
    with pytest.raises(TypeError):
        loadstone.verify(run42, casting="lossy")


@pytest.mark.parametrize("comm", ["world", 3, object()], ids=str)
def test_a_communicator_of_a_wrong_type(run42, comm):
    with pytest.raises(TypeError) as caught:
        loadstone.load(run42, comm=comm)
    assert caught.value.item == "comm"


@pytest.mark.parametrize("batch_rows, base", [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("4", TypeError)])
def test_wrong_batch_rows(run42, batch_rows, base):
    with pytest.raises(base):
        loadstone.stream(run42, batch_rows=batch_rows)


DTYPES = ["float64", "f8", "<f8", float, np.float64, np.dtype("f8"), np.dtype(">f8").newbyteorder("=")]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes_may_be_all_that_numpy_takes(run42, array, dtype):
    assert np.array_equal(loadstone.load(run42, dtype=dtype).local, array.astype("f8"))


@pytest.mark.parametrize("select", [..., (...,), (..., 0), (1, ...), (1, ..., -2), (..., slice(1, 3), slice(0, 4, 2)), (slice(2, 9), ...),
                                    (3, 2, ...), "...,1", "2:9:3, ..."], ids=repr)  # fmt: skip
def test_an_ellipsis_stands_for_the_axes_that_are_left(run42, array, select):
    text = isinstance(select, str)
    index = eval(f"np.s_[{select}]") if text else select
    assert np.array_equal(loadstone.load(run42, select=select).local, array[index])


@pytest.mark.parametrize("budget", [2e9, 1.5e9, np.float64(2**26), np.float32(2**26), np.int64(2**26), 2**26], ids=repr)
def test_a_budget_may_be_any_whole_number(run42, budget):
    assert loadstone.load(run42, budget=budget).stats.budget_bytes == int(budget)


def test_integers_of_numpy_are_integers_everywhere(run42, tmp_path):
    n = np.int64
    whole = loadstone.load(
        run42, split=n(0), select=(n(3), slice(n(0), n(4), np.uint8(2))), rows_per_rank=np.array([2]), budget=np.uint32(2**26),
        overdecompose=np.int16(2), expect_shards=n(4), expect_rows=n(17), first_index=n(0), max_header_bytes=n(4096),
        io={"depth": n(4), "threads": n(1), "open_files": n(8), "retries": n(1), "request_bytes": n(2**16)}, deadline_s=n(60),
    )  # fmt: skip
    assert whole.shape == (2,) and whole.gather(root=n(0)).tolist() == [15, 17]
    assert "0" in str(loadstone.plan(run42, ranks=n(3), rank=n(1)))
    assert len(next(loadstone.stream(run42, batch_rows=n(2)))) == 2
    loadstone.write(tmp_path / "d", shape=(n(8), n(2)), shards=n(2), seed=n(7), rows=[n(5), n(3)])
    (tmp_path / "x.bin").write_bytes(bytes(40))
    raw = loadstone.open(tmp_path / "x.bin", dtype="<f4", trailing_shape=(n(2),), header_bytes=n(8))
    assert tuple(raw.shape) == (4, 2)
    even = loadstone.Distribution.even(np.array([8, 3]), n(0), n(2))
    assert even.box(n(1)) == ((4, 8), (0, 3)) and even.interval(n(1), n(0)) == (4, 8) and even.owner(n(5)) == 1
    assert loadstone.Distribution.counts((n(8),), n(0), np.array([5, 3])).intervals(n(1)) == [(5, 8)]
    assert loadstone.Mesh((n(2), n(1)), order=np.array([1, 0])).ranks == 2


def test_integers_of_numpy_are_integers(run42, array):
    x = loadstone.load(run42, split=np.int32(1), rows=(np.int64(2), np.uint8(4)))
    assert x.split == 1 and np.array_equal(x.local, array[2:4])


def test_io41_an_environment_name_that_means_nothing_is_warned_of_once(python, run42):
    python(
        """
        import os, sys, warnings
        os.environ["LOADSTONE_IO_DIREKT"] = "on"
        import loadstone
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loadstone.open(sys.argv[1])
            loadstone.open(sys.argv[1])
        texts = [str(w.message) for w in caught if "LOADSTONE_IO_DIREKT" in str(w.message)]
        assert len(texts) == 1 and "LOADSTONE_IO_DIRECT" in texts[0], texts
        """,
        run42,
    )


def test_strict_takes_such_a_name_for_a_fault(python, run42):
    python(
        """
        import os, sys, warnings
        os.environ["LOADSTONE_IO_DIREKT"] = "on"
        import loadstone
        warnings.simplefilter("ignore")
        for call in (loadstone.open, loadstone.load, loadstone.verify):
            try:
                call(sys.argv[1], strict=True)
            except loadstone.Error as error:
                assert error.code == "bad_argument" and error.item == "LOADSTONE_IO_DIREKT", error
            else:
                raise AssertionError(call)
        """,
        run42,
    )
