"""The array: state, memory, conversion, printing (arrays.md section B)."""

import gc

import numpy as np
import pytest

import loadstone


def test_b_state(run42):
    x = loadstone.load(run42, split=1)
    assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize, x.dtype) == ((17, 5), 2, 85, 340, 4, np.dtype("f4"))
    assert (x.split, x.box, x.displacement, x.strides) == (1, ((0, 17), (0, 5)), (0, 0), (20, 4))
    assert (x.local_shape, x.local_size, x.local_nbytes) == ((17, 5), 85, 340)
    assert (x.order, x.device, x.memory, x.balanced, x.is_distributed()) == ("C", "host", "private", True, False)
    assert (x.comm.rank, x.comm.size) == (0, 1) and "rank 0 of 1" in repr(x.comm)
    assert x.distribution == loadstone.Distribution.even((17, 5), 1, 1)


def test_tables_are_fresh_int64(run42):
    x = loadstone.load(run42)
    for table in (x.local_shapes, x.lshape_map):
        assert table.dtype == np.int64 and table.tolist() == [[17, 5]]
        table[:] = -1
    counts, displacements = x.counts_displs()
    assert (counts.tolist(), displacements.tolist(), counts.dtype) == ([17], [0], np.int64)


def test_counts_of_a_replicated_array_are_refused(run42):
    with pytest.raises(ValueError):
        loadstone.load(run42, split=None).counts_displs()


def test_p9_the_tile_outlives_the_array(run42, array):
    tile = loadstone.load(run42).local
    gc.collect()
    assert np.array_equal(tile, array) and tile.flags.writeable and tile.flags.aligned and tile.flags.c_contiguous
    tile[:] = 3
    assert (tile == 3).all()


def test_b1_local_is_one_memory(run42):
    x = loadstone.load(run42)
    x.local[2, 3] = -7
    assert x.local[2, 3] == -7 and np.shares_memory(x.local, x.local) and type(x.local) is np.ndarray


def test_b1_assignment_copies_in(run42):
    x = loadstone.load(run42)
    before = x.local
    x.local = np.full((17, 5), 2, "f4")
    assert (before == 2).all()


@pytest.mark.parametrize(
    "value, base",
    [
        (np.zeros((17, 4), "f4"), ValueError),
        (np.zeros((17, 5), "f8"), TypeError),
        (np.zeros((1, 5), "f4"), ValueError),
        (3.0, ValueError),
    ],
    ids=["shape", "dtype", "broadcast", "scalar"],
)
def test_b1_assignment_needs_the_tile_s_shape_and_type(run42, array, value, base):
    x = loadstone.load(run42)
    with pytest.raises(base):
        x.local = value
    assert np.array_equal(x.local, array)


def test_b2_a_whole_array_converts(run42, array):
    x = loadstone.load(run42)
    assert np.array_equal(np.asarray(x), array) and np.shares_memory(np.asarray(x), x.local)
    assert not np.shares_memory(np.array(x), x.local)
    assert np.asarray(x, "f8").dtype == np.float64
    assert np.array_equal(np.from_dlpack(x), array) and np.array_equal(np.from_dlpack(x.local), array)


def test_b6_gather_and_item(run42, array, tmp_path):
    x = loadstone.load(run42)
    assert np.array_equal(x.gather(), array) and np.array_equal(x.gather(root=None), array)
    assert not np.shares_memory(x.gather(), x.local)
    np.save(tmp_path / "one.npy", np.array([[7]]))
    assert loadstone.load(tmp_path / "one.npy").item() == 7
    with pytest.raises(ValueError):
        x.item()


@pytest.mark.parametrize(
    "root, base", [(1, ValueError), (-1, ValueError), (0.0, TypeError), ("0", TypeError), (True, TypeError)]
)
def test_b6_a_root_that_is_none(run42, root, base):
    with pytest.raises(base):
        loadstone.load(run42).gather(root)


def test_b7_printing(run42, tmp_path):
    first, *rest = repr(loadstone.load(run42)).splitlines()
    for part in ("(17, 5)", "float32", "0"):
        assert part in first
    assert len(rest) == 17
    np.save(tmp_path / "long.npy", np.arange(100_000))
    assert "..." in str(loadstone.load(tmp_path / "long.npy"))
    np.save(tmp_path / "empty.npy", np.zeros((0, 3)))
    assert str(loadstone.load(tmp_path / "empty.npy")).endswith("\n[]")


@pytest.mark.parametrize(
    "dtype", ["?", "<i8", ">i8", "<f2", ">c16", "S5", "<U3", "<M8[ns]", ">m8[s]", "V6", "S0", "U0"]
)
@pytest.mark.parametrize("shape", [(), (3,), (0, 4), (2, 0, 3)], ids=str)
def test_ds49_every_type_and_shape(tmp_path, dtype, shape):
    bits = np.random.default_rng(1).integers(0, 2, 4096, "u1")  # 0 and 1: valid in every type but text
    wanted = np.full(shape, "ab", dtype) if "U" in dtype else np.ndarray(shape, dtype, buffer=bytearray(bits))
    np.save(tmp_path / "x.npy", wanted)
    local = loadstone.load(tmp_path / "x.npy", split=None).local
    stored = np.load(tmp_path / "x.npy")
    assert local.shape == shape and local.dtype == stored.dtype.newbyteorder("=") and local.dtype.isnative
    native = stored.byteswap() if stored.dtype.byteorder == ">" else stored
    assert local.tobytes() == native.tobytes()


def test_local_as(run42, array):
    x = loadstone.load(run42)
    assert x.local_as("numpy") is not None and np.shares_memory(x.local_as("numpy"), x.local)
    with pytest.raises(ValueError, match="torch"):
        x.local_as("matlab")
    torch = pytest.importorskip("torch")
    tensor = x.local_as("torch")
    tensor[0, 0] = 5
    assert isinstance(tensor, torch.Tensor) and x.local[0, 0] == 5


def test_stats_and_digest(run42):
    x, y = loadstone.load(run42), loadstone.load(run42, split=1, budget="1MiB")
    assert x.stats.bytes_wanted == 340 and x.stats.to_dict()["bytes_wanted"] == 340 and "bytes_read" in repr(x.stats)
    assert x.total_stats().bytes_wanted == 340 and y.stats.budget_bytes == 2**20
    assert x.digest() == y.digest() and len(x.digest()) == 32


def test_stats_by_file_where_they_are_asked_for(run42):
    assert loadstone.load(run42).stats.files == []
    x = loadstone.load(run42, io_file_stats=True)
    files = x.stats.files
    with_rows = [str(path) for path in sorted(run42.glob("*.npy")) if len(np.load(path)) > 0]
    assert [f.path for f in files] == with_rows
    assert sum(f.bytes_read for f in files) == x.stats.bytes_read
    assert sum(f.bytes_in_place + f.bytes_staged for f in files) == 340
    assert x.total_stats().files[0].to_dict() == files[0].to_dict() and "slowest_seconds" in repr(files[0])
    assert x.stats.to_dict()["files"][0]["path"] == files[0].path
    assert loadstone.load(run42, io={"file_stats": True}).stats.files


def test_memory_of_many_arrays_is_given_back(run42):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    kept = []
    for _ in range(20):
        kept.append(loadstone.load(run42).local)
    kept.clear()
    gc.collect()
    before = resident()
    for _ in range(300):
        loadstone.load(run42).gather()
    assert resident() - before < 2000
