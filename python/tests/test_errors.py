"""E1 to E4 in Python: codes, fields, the built-in exception that fits."""

import pickle

import numpy as np
import pytest

import loadstone
from loadstone import _core
from loadstone._errors import WRONG_TYPE

BASE_OF_CODE = {
    "not_found": FileNotFoundError,
    "not_regular": OSError,
    "outside_root": OSError,
    "malformed": ValueError,
    "truncated": ValueError,
    "too_large": ValueError,
    "checksum": ValueError,
    "refused": loadstone.Error,
    "unsupported": loadstone.Error,
    "no_data": ValueError,
    "mismatch": ValueError,
    "lossy": ValueError,
    "bad_argument": ValueError,
    "io": OSError,
    "changed": OSError,
    "no_space": OSError,
    "budget": MemoryError,
    "out_of_memory": MemoryError,
    "cancelled": KeyboardInterrupt,
    "deadline": TimeoutError,
    "comm": loadstone.Error,
    "released": loadstone.Error,
    "internal": loadstone.Error,
}


def fault(code="truncated", kind="shard.truncated", **fields):
    return loadstone.Fault(code=code, kind=kind, message="the file is short", **fields)


def raised(*faults):
    with pytest.raises(BaseException) as caught:
        _core.fail(list(faults))
    return caught.value


@pytest.mark.parametrize("code", BASE_OF_CODE)
def test_e3_every_code_has_its_built_in_base(code):
    error = raised(fault(code, "some.kind"))
    assert error.code == code and isinstance(error, BASE_OF_CODE[code])
    assert isinstance(error, loadstone.Error) == (code != "cancelled")


def test_ctrl_c_is_no_exception_that_a_handler_swallows():
    assert not issubclass(loadstone.Interrupted, Exception)


def test_a_wrong_type_is_a_type_error():
    error = raised(fault("bad_argument", WRONG_TYPE))
    assert isinstance(error, TypeError) and not isinstance(error, ValueError)


def test_e1_the_fields_of_the_first_fault_are_those_of_the_error():
    error = raised(
        fault(path="a.npy", item="w", offset=7, bytes=9, errno=5, wanted=[3, 4], got="x", remedy="Copy it.", shard=2),
        fault("mismatch", "shard.dtype"),
    )
    assert (error.path, error.item, error.offset, error.errno, error.wanted, error.got) == (
        "a.npy",
        "w",
        7,
        5,
        [3, 4],
        "x",
    )
    assert (error.kind, error.message, error.remedy, error.shard) == (
        "shard.truncated",
        "the file is short",
        "Copy it.",
        2,
    )
    assert (error.faults[0].bytes, error.faults[1].kind, error.total_faults) == (9, "shard.dtype", 2)
    assert (error.rank, error.phase, error.round, error.local, error.notes) == (None, None, None, None, [])
    assert "a.npy" in str(error) and "Copy it." in str(error)


def test_what_is_not_set_is_none():
    error = raised(fault())
    assert [error.path, error.item, error.offset, error.wanted, error.got, error.errno] == [None] * 6


def test_names_that_are_no_utf8_survive():
    name = b"\xff\xfe.npy".decode("utf-8", "surrogateescape")
    assert raised(fault(path=name)).path == name


@pytest.mark.parametrize("code", ["truncated", "not_found", "budget", "cancelled", "deadline"])
def test_errors_and_faults_can_be_pickled(code):
    error = raised(fault(code, path="a.npy", wanted=3, got="four"))
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) and copy.faults == error.faults
    assert copy.wanted == 3 and copy.got == "four"


def test_a_fault_shows_itself_and_compares():
    one = fault(shard=1)
    assert one == fault(shard=1) and one != fault(shard=2) and one != "text" and hash(one) == hash(fault(shard=1))
    assert eval(repr(one), {"Fault": loadstone.Fault}) == one
    assert one.to_dict() == {"code": "truncated", "kind": "shard.truncated", "message": "the file is short", "shard": 1}


def test_an_error_can_be_made_by_hand():
    assert loadstone.Error("text").code == "internal" and str(loadstone.NotFoundError("text")) == "text"


def test_c097_a_missing_path(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        loadstone.load(tmp_path / "gone.npy")
    error = caught.value
    assert isinstance(error, loadstone.NotFoundError) and error.code == "not_found" and error.path.endswith("gone.npy")


def test_e4_all_faults_of_a_dataset_come_together(tmp_path, array):
    for i in range(4):
        np.save(tmp_path / f"s_{i}.npy", array)
    (tmp_path / "s_1.npy").write_bytes(b"")
    np.save(tmp_path / "s_2.npy", array.astype("f8"))
    with pytest.raises(loadstone.Error) as caught:
        loadstone.load(tmp_path)
    assert [(f.kind, f.shard) for f in caught.value.faults] == [("shard.format", 1), ("shard.dtype", 2)]


def test_the_smallest_budget_works(tmp_path):
    np.save(tmp_path / "x.npy", np.asfortranarray(np.arange(120_000, dtype=">i4").reshape(300, 400)))
    with pytest.raises(MemoryError) as caught:
        loadstone.load(tmp_path / "x.npy", dtype="f8", budget=1)
    assert caught.value.code == "budget" and caught.value.got == 1
    loadstone.load(tmp_path / "x.npy", dtype="f8", budget=caught.value.wanted)


def test_remedies_name_arguments_not_flags(tmp_path):
    np.save(tmp_path / "x.npy", np.asfortranarray(np.arange(120_000, dtype=">i4").reshape(300, 400)))
    with pytest.raises(MemoryError, match=r"Set budget=\S+ or more") as caught:
        loadstone.load(tmp_path / "x.npy", dtype="f8", budget=1)
    told = eval(caught.value.remedy.split("budget=")[1].split(" ")[0])
    loadstone.load(tmp_path / "x.npy", dtype="f8", budget=told)
    with pytest.raises(ValueError, match=r"Set casting=\"checked\" to allow it") as caught:
        loadstone.load(tmp_path / "x.npy", dtype="i2")
    assert "--" not in str(caught.value)
    for i in (1, 2):
        np.save(tmp_path / f"s_{i}.npy", np.zeros(3))
    with pytest.raises(ValueError, match="first_index=1"):
        loadstone.open(tmp_path / "s_*.npy")
    warning = loadstone.open(tmp_path / "s_*.npy", first_index=1).warnings[0]
    assert f'loadstone.verify("{tmp_path}", write_manifest=True)' in warning.remedy


def test_a_remedy_that_names_an_option_survives_pickle(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(3))
    with pytest.raises(loadstone.Error) as caught:
        loadstone.load(tmp_path / "x.npy", dtype="i2")
    fault = caught.value.faults[0]
    assert pickle.loads(pickle.dumps(fault)) == fault and pickle.loads(pickle.dumps(fault)).remedy == fault.remedy
    assert fault.to_dict()["remedy"] == fault.remedy
