"""load, open, plan, verify, write and clean in one process."""

import numpy as np
import pytest

import loadstone
from loadstone._notices import log_fallbacks


def test_every_form_of_paths(run42, array):
    paths = sorted(run42.glob("*.npy"))
    for given in (str(run42), run42, bytes(run42), str(run42 / "shard_*.npy"), paths, tuple(map(str, paths))):
        assert np.array_equal(loadstone.load(given).local, array)


def test_paths_may_come_from_an_iterator(run42, array):
    assert np.array_equal(loadstone.load(sorted(run42.glob("*.npy")).__iter__()).local, array)


def test_a_name_that_is_no_utf8(tmp_path, array):
    path = tmp_path / b"\xff_0.npy".decode("utf-8", "surrogateescape")
    np.save(path, array)
    assert np.array_equal(loadstone.load(path).local, array)
    assert loadstone.open(tmp_path / "*.npy").shards[0].path == str(path)


SELECTIONS = {
    "rows": ({"rows": (5, 11)}, np.s_[5:11]),
    "rows slice": ({"rows": slice(-4, None)}, np.s_[-4:]),
    "rows text": ({"rows": "5:11"}, np.s_[5:11]),
    "integer": ({"select": 2}, np.s_[2]),
    "slice": ({"select": slice(1, None, 3)}, np.s_[1::3]),
    "tuple": ({"select": (slice(1, None, 3), -1)}, np.s_[1::3, -1]),
    "text": ({"select": "1::3,-1"}, np.s_[1::3, -1]),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_ds53_selections(run42, array, name):
    keywords, index = SELECTIONS[name]
    x = loadstone.load(run42, **keywords)
    assert np.array_equal(x.local, array[index]) and x.shape == array[index].shape


@pytest.mark.parametrize(
    "keywords", [{"io": {"direct": "off", "depth": 2}}, {"io_mapped": "off"}, {"io_request_bytes": "64KiB"}]
)
def test_ways_to_fetch_change_nothing(run42, array, keywords):
    assert np.array_equal(loadstone.load(run42, **keywords).local, array)


def test_the_caller_s_list_may_change_afterwards(run42, array):
    counts = [17]
    x = loadstone.load(run42, rows_per_rank=counts)
    counts[0] = 3
    assert x.local.shape == array.shape


def test_a_dataset_in_hand_loads_and_plans(run42, array):
    dataset = loadstone.open(run42)
    assert np.array_equal(loadstone.load(dataset, split=1).local, array)
    assert loadstone.plan(dataset, ranks=2).to_dict() == loadstone.plan(run42, ranks=2).to_dict()


def test_ds20_fields_of_a_dataset(run42):
    dataset = loadstone.open(run42)
    assert (dataset.format, dataset.pattern, dataset.shape, dataset.dtype) == (
        "npy",
        "shard_{:04}.npy",
        (17, 5),
        np.dtype("f4"),
    )
    assert (dataset.row_index, dataset.rows, dataset.ndim, dataset.proof) == ([0, 6, 6, 9, 17], 17, 2, "names")
    shard = dataset.shards[3]
    assert (shard.rows, shard.nbytes, shard.data_offset, shard.order, shard.dtype) == (8, 160, 128, "C", np.dtype("f4"))
    assert shard.path.endswith("shard_0003.npy") and "shard_0003" in repr(shard) and "(17, 5)" in repr(dataset)
    assert [warning.kind for warning in dataset.warnings] == ["complete.unproven"] and dataset.manifest_path is None


def test_ds61_a_plan_prints_and_is_a_dictionary(run42):
    plan = loadstone.plan(run42, ranks=4, split=0, budget="64MiB")
    ranks = plan.to_dict()["ranks"]
    assert [entry["box"] for entry in ranks] == [
        [[0, 5], [0, 5]],
        [[5, 9], [0, 5]],
        [[9, 13], [0, 5]],
        [[13, 17], [0, 5]],
    ]
    assert plan.shape == (17, 5) and plan.dtype == np.dtype("f4") and "rank" in str(plan) and "Plan" in repr(plan)


def test_a_raw_file_whose_type_is_stated(tmp_path):
    np.arange(12, dtype=">i2").tofile(tmp_path / "x_0.bin")
    options = {"format": "raw", "dtype": ">i2", "trailing_shape": (4,)}
    x = loadstone.load(tmp_path / "x_0.bin", **options)
    assert x.dtype == np.dtype("i2") and x.dtype.isnative
    assert np.array_equal(x.local, np.arange(12).reshape(3, 4))
    assert loadstone.open(tmp_path / "x_0.bin", **options).shape == (3, 4)
    report = loadstone.verify(tmp_path, write_manifest=True, **options)
    assert report.shards == 1 and repr(report).startswith("VerifyReport(shards=1, ")
    assert loadstone.verify(tmp_path, require_manifest=True).shards_verified == 1


def test_progress_is_told_on_the_calling_thread(run42):
    import threading

    told = []
    loadstone.load(
        run42, progress=lambda p: told.append((threading.get_ident(), p.bytes_done, p.bytes_wanted, p.seconds))
    )
    for thread, done, wanted, seconds in told:
        assert thread == threading.get_ident() and 0 <= done <= wanted == 340 and seconds >= 0


def test_threads_load_at_the_same_time(run42, array):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        loads = [pool.submit(loadstone.load, run42, split=i % 2) for i in range(16)]
        assert all(np.array_equal(load.result().local, array) for load in loads)


def test_write_verify_and_clean_go_round(tmp_path):
    folder = tmp_path / "made"
    report = loadstone.write(folder, shape=(40, 3), shards=4, dtype="i4", rows=[10, 0, 25, 5], fill="index")
    assert [shard.rows for shard in report.shards] == [10, 0, 25, 5] and report.generation == 1
    assert np.array_equal(loadstone.load(folder).local, np.arange(120).reshape(40, 3))
    verified = loadstone.verify(folder, require_manifest=True)
    assert verified.against_manifest and verified.shards == verified.shards_verified == 4
    assert len(loadstone.clean(folder).removed) >= 5 and folder.exists()
    loadstone.clean(folder, yes=True)
    assert not folder.exists()


def test_ds58_a_manifest_that_must_be_there(run42):
    with pytest.raises(loadstone.Error):
        loadstone.verify(run42, require_manifest=True)


def test_what_is_built_here_can_be_asked():
    assert {entry.name for entry in loadstone.formats()} >= {"npy", "raw"}
    assert next(entry for entry in loadstone.backends() if entry.name == "posix").usable
    assert {entry.name for entry in loadstone.communicators()} >= {"self", "threads"}
    assert all(setting.name and setting.origin for setting in loadstone.settings())
    assert "posix" in "".join(map(repr, loadstone.backends())) and repr(loadstone.settings()[0])


def test_a_failed_load_leaves_no_descriptor_and_no_thread(run42, tmp_path):
    import os

    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY")

    def held():
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

    def once():
        with pytest.raises(loadstone.Error):
            loadstone.load(tmp_path / "x.npy")
        loadstone.load(run42)

    once()
    before = held()
    for _ in range(5):
        once()
    assert held() <= before


def test_loads_into_an_array_of_the_caller(tmp_path):
    loadstone.write(tmp_path, shape=(1000, 6), shards=3, fill="index")
    out = np.full((1000, 6), -1, "f4")
    array = loadstone.load(tmp_path, out=out)
    assert np.shares_memory(out, array.local)
    assert np.array_equal(out.ravel(), np.arange(6000))
    again = loadstone.load(tmp_path, out=array.local, dtype="f4")
    assert np.shares_memory(out, again.local)
    del out, array
    assert np.array_equal(again.local.ravel(), np.arange(6000)), "the array keeps the memory alive"


@pytest.mark.parametrize(
    ("out", "code"),
    [
        (np.empty((7, 6), "f4"), "mismatch"),
        (np.empty((1000, 6), "i4"), "mismatch"),
        (np.empty(6000, "f4"), "mismatch"),
        (np.empty((2000, 6), "f4")[::2], "bad_argument"),
        (np.empty((6, 1000), "f4").T, "bad_argument"),
        (np.broadcast_to(np.float32(0), (1000, 6)), "bad_argument"),
        ([1, 2, 3], "bad_argument"),
    ],
)
def test_memory_that_does_not_fit_is_refused(tmp_path, out, code):
    loadstone.write(tmp_path, shape=(1000, 6), shards=3, fill="index")
    with pytest.raises(loadstone.Error) as caught:
        loadstone.load(tmp_path, out=out)
    assert caught.value.code == code
    assert "float32 (1000, 6)" in str(caught.value) or "NumPy array in C order" in str(caught.value)


def test_memory_of_the_other_byte_order_is_told_by_it(tmp_path):
    loadstone.write(tmp_path, shape=(10, 6), shards=2)
    with pytest.raises(
        loadstone.MismatchError, match=r"is >f4 \(10, 6\), 240 bytes; this rank's tile is <f4 \(10, 6\)"
    ):
        loadstone.load(tmp_path, out=np.empty((10, 6), ">f4"))


def test_what_is_odd_about_a_dataset_is_told_once(tmp_path, caplog):
    for number in range(2):
        np.save(tmp_path / f"s_{number}.npy", np.zeros((2, 3), "f4"))
    array = loadstone.load(tmp_path)
    loadstone.load(tmp_path)
    list(loadstone.stream(tmp_path, batch_rows=2))
    loadstone.plan(tmp_path)
    assert [warning.kind for warning in array.warnings] == ["complete.unproven"]
    told = [record for record in caplog.records if record.name == "loadstone" and str(tmp_path) in record.message]
    assert [record.levelname for record in told] == ["WARNING"]
    assert "verify" in told[0].message


def test_what_finds_a_dataset_is_refused_for_one_that_was_found(tmp_path):
    for number in range(2):
        np.save(tmp_path / f"s_{number}.npy", np.zeros((2, 3), "f4"))
    dataset = loadstone.open(tmp_path)
    for keywords in ({"expect_shards": 77}, {"byteorder": "big"}, {"sidecar": "nope"}, {"format": "raw"}):
        for call in (loadstone.load, loadstone.plan):
            with pytest.raises(loadstone.ArgumentError, match=rf"{next(iter(keywords))} tells how .* Give .* to open"):
                call(dataset, **keywords)
    with pytest.raises(loadstone.Error, match="cannot prove"):
        loadstone.load(dataset, strict=True)
    assert loadstone.load(dataset, roots=[tmp_path], format=None, allow_tail=False).shape == (4, 3)


def test_a_fallback_is_logged_once(caplog):
    told = {"direct refused on a file system of this test: EINVAL": 3}
    with caplog.at_level("INFO", logger="loadstone"):
        log_fallbacks(told)
        log_fallbacks(told)
    assert [record.message for record in caplog.records] == list(told)


def test_streams_tell_what_they_did_another_way(tmp_path, monkeypatch):
    loadstone.write(tmp_path, shape=(1000, 6), shards=3, fill="index")
    told = []
    monkeypatch.setattr("loadstone._stream.log_fallbacks", told.append)
    batches = [batch.copy() for batch in loadstone.stream(tmp_path, batch_rows=300)]
    assert len(told) == len(batches) == 4 and all(isinstance(fallbacks, dict) for fallbacks in told)


def test_what_could_not_be_verified_is_told_and_is_an_error_under_strict(tmp_path):
    loadstone.write(tmp_path, shape=(1000, 6), shards=3, fill="index")
    loadstone.load(tmp_path, verify="crc", strict=True)
    with pytest.warns(RuntimeWarning, match="of 240 bytes were not verified"):
        loadstone.load(tmp_path, verify="crc", rows=(0, 10))
    with pytest.raises(loadstone.Error, match="not verified") as caught:
        loadstone.load(tmp_path, verify="crc", strict=True, rows=(0, 10))
    assert (caught.value.code, caught.value.kind) == ("mismatch", "verify.unverified")
