"""DS55: batches of rows, and ending early."""

import os
import signal
import time

import numpy as np
import pytest

import loadstone


@pytest.mark.parametrize("rows", [1, 4, 5, 17, 100])
def test_batches_are_the_rows_in_order(run42, array, rows):
    batches = list(loadstone.stream(run42, batch_rows=rows))
    assert all(1 <= len(batch) <= rows for batch in batches)
    assert np.array_equal(np.concatenate(batches), array)


def test_a_batch_owns_its_memory(run42, array):
    stream = loadstone.stream(run42, batch_rows=4)
    first = next(stream)
    for batch in stream:
        batch[:] = -1
    del stream
    assert np.array_equal(first, array[: len(first)])


def test_options_hold_for_streams(run42, array):
    batches = list(loadstone.stream(run42, batch_rows=3, dtype="f8", rows=(2, 9), budget="1MiB"))
    assert np.array_equal(np.concatenate(batches), array[2:9].astype("f8"))


def test_the_dataset_is_at_hand(run42):
    assert loadstone.stream(run42, batch_rows=3).dataset.shape == (17, 5)


def test_statistics_are_of_all_batches(run42, array):
    with loadstone.stream(run42, batch_rows=3, io_file_stats=True) as stream:
        assert stream.stats.bytes_wanted == 0
        next(stream)
        assert stream.stats.bytes_wanted == 3 * array[0].nbytes
        rest = list(stream)
    assert len(rest) == 5 and stream.stats.bytes_wanted == array.nbytes
    assert sum(one.bytes_in_place + one.bytes_staged for one in stream.stats.files) >= array.nbytes


def held():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def test_c112_ending_early_leaves_nothing(run42):
    list(loadstone.stream(run42, batch_rows=1))
    before = held()
    with loadstone.stream(run42, batch_rows=1) as stream:
        next(stream)
    assert list(stream) == []
    for _ in loadstone.stream(run42, batch_rows=1):
        break
    closed = loadstone.stream(run42, batch_rows=1)
    closed.close()
    closed.close()
    with pytest.raises(StopIteration):
        next(closed)
    assert held() <= before


def test_a_forked_process_leaves_the_stream_alone(run42, array):
    stream = loadstone.stream(run42, batch_rows=4)
    first = next(stream)
    child = os.fork()
    if child == 0:
        try:
            with pytest.raises(loadstone.Error, match="forked"):
                next(stream)
            del stream
        except BaseException:
            os._exit(1)
        os._exit(0)
    end = time.monotonic() + 20
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < end:
        time.sleep(0.01)
    if done[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done == (child, 0)
    assert np.array_equal(np.concatenate([first, *stream]), array)


def test_a_fault_is_raised_at_once(tmp_path):
    (tmp_path / "x.npy").write_bytes(b"")
    with pytest.raises(loadstone.ContentError):
        loadstone.stream(tmp_path / "x.npy", batch_rows=1)
