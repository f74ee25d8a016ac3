"""Every keyword refuses what it cannot mean, naming itself; TypeError for types, ValueError for values."""

import numpy as np
import pytest

import loadstone

WRONG = {
    "split float": ({"split": 0.0}, TypeError, "split"),
    "split text": ({"split": "0"}, TypeError, "split"),
    "split bool": ({"split": True}, TypeError, "split"),
    "split huge": ({"split": 2**70}, ValueError, "split"),
    "budget float": ({"budget": 1e6}, TypeError, "budget"),
    "budget text": ({"budget": "lots"}, ValueError, "budget"),
    "budget negative": ({"budget": -1}, ValueError, "budget"),
    "dtype word": ({"dtype": "float33"}, ValueError, "dtype"),
    "dtype object": ({"dtype": object}, ValueError, "dtype"),
    "dtype number": ({"dtype": 4}, TypeError, "dtype"),
    "casting": ({"casting": "maybe"}, ValueError, "casting"),
    "tiles": ({"tiles": "square"}, ValueError, "tiles"),
    "tiles type": ({"tiles": 3}, TypeError, "tiles"),
    "rows length": ({"rows": (1, 2, 3)}, ValueError, "rows"),
    "rows number": ({"rows": 3}, TypeError, "rows"),
    "rows float": ({"rows": (0, 2.5)}, TypeError, "rows: end"),
    "select float": ({"select": (slice(0, 2), 1.5)}, TypeError, "select[1]"),
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
