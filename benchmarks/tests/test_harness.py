"""The harness's parts that need no build: data sets, cache state, contenders, order, expected counts."""

import json
import sys
import time
from itertools import pairwise

import pytest

from lib import ballast, cache, contender, parts, places, roster, rounds, sets, smoke, workloads
from lib.digest import Digests
from lib.sets import DataSet

ECHO = """
import json, sys
job = json.loads(sys.stdin.readline())
{before}
print("ready", flush=True)
for line in sys.stdin:
    if line == "go\\n":
        {go}
        print('done {{"stages": {{"read": 0.5}}, "counts": {{"requests": 3}}}}', flush=True)
    elif line == "digest\\n":
        print('digest {{"pieces": ["00"]}}', flush=True)
    else:
        break
"""


def start(job=None, before="pass", go="pass", limit_s=30.0):
    command = [sys.executable, "-c", ECHO.format(before=before, go=go)]
    return contender.Process(command, job or {}, rounds.environment(), limit_s)


@pytest.mark.parametrize("total", [0, 16, 1000, 1_048_576])
def test_uneven_rows_sum_to_the_whole_and_depend_on_the_seed_alone(total):
    parts = sets.uneven(total, 16, seed=3)
    assert sum(parts) == total and len(parts) == 16 and min(parts) >= 0
    assert parts == sets.uneven(total, 16, seed=3)


def test_an_npy_header_is_a_multiple_of_64_and_ends_its_line():
    header = sets.npy_header("<f4", (7, 512))
    assert len(header) % 64 == 0 and header.endswith(b"\n") and header.startswith(b"\x93NUMPY\x01\x00")
    assert eval(header[10:]) == {"descr": "<f4", "fortran_order": False, "shape": (7, 512)}


def test_a_twin_names_the_ranges_of_its_tensors_one_after_the_other():
    recipe = sets.twin("t", [[3, 5], [7]], 1)
    shards = json.loads(recipe.extra["shard_meta.json"])["shards"]
    first = len(recipe.files[shards[0]["path"]][0])
    assert [(s["offset"], s["rows"]) for s in shards[:2]] == [(first, 3), (first + 3, 5)]
    assert shards[2]["path"] != shards[0]["path"] and first % 8 != 0


def test_random_blocks_are_a_function_of_the_seed():
    assert b"".join(sets.random_blocks("a", 100)) == b"".join(sets.random_blocks("a", 100))
    assert sum(map(len, sets.random_blocks("a", sets.BLOCK + 5))) == sets.BLOCK + 5


def test_a_contender_is_timed_and_watched():
    with start() as process:
        process.ready("/nowhere")
        measured = process.go()
        assert process.digest() == {"pieces": ["00"]}
        process.close()
    assert measured.total_s > 0 and measured.cpu_s >= 0 and measured.peak_bytes >= measured.base_bytes > 0
    assert measured.stages == {"read": 0.5} and measured.counts == {"requests": 3}


def test_the_peak_holds_what_was_allocated_inside_the_clock():
    with start(go="kept = b'x' * 50_000_000") as process:
        process.ready("/nowhere")
        measured = process.go()
    assert measured.peak_bytes - measured.base_bytes > 45_000_000


@pytest.mark.parametrize(
    "how", ["held = open({path!r})", "import mmap; f = open({path!r}, 'r+b'); m = mmap.mmap(f.fileno(), 0); f.close()"]
)
def test_bm1_a_data_file_held_before_go_is_seen(tmp_path, how):
    path = tmp_path / "data.bin"
    path.write_bytes(bytes(5000))
    with start(before=how.format(path=str(path))) as process, pytest.raises(contender.Cheated, match=r"data\.bin"):
        process.ready(str(tmp_path))


def test_a_contender_that_fails_is_told_in_its_own_words():
    refusal = "print('failed no such thing', flush=True); sys.exit(1)"
    with start(before=refusal) as process, pytest.raises(contender.Failed, match="no such thing"):
        process.ready("/nowhere")


def test_a_contender_that_dies_is_told_with_its_last_words():
    with start(go="raise ValueError('lost')") as process:
        process.ready("/nowhere")
        with pytest.raises(contender.Failed, match="ValueError: lost"):
            process.go()


def test_a_contender_that_hangs_is_ended():
    with start(go="import threading; threading.Event().wait()", limit_s=1.0) as process:
        process.ready("/nowhere")
        with pytest.raises(contender.Failed, match="no answer in 1 s"):
            process.go()
    assert process._child.poll() is not None


def test_bm16_dropped_and_warm_are_what_the_kernel_says(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(300_000))
    try:
        cache.check_telling(str(path))
    except cache.CannotTell as reason:
        pytest.skip(str(reason))
    assert cache.warm([str(path)]) == 1.0
    left = cache.drop([str(path)])
    assert left in (0.0, 1.0)  # a memory file system drops nothing, and the share says so
    assert cache.share_cached([str(path)]) == left


@pytest.mark.parametrize(
    ("state", "share", "is_wrong"),
    [("cold", 0.0, False), ("cold", 0.001, False), ("cold", 0.002, True), ("warm", 1.0, False), ("warm", 0.999, True)],
)
def test_bm16_bm17_the_state_before(state, share, is_wrong):
    assert bool(rounds.wrong_state(state, share)) is is_wrong


def test_bm13_ballast_touches_any_size():
    for size in (0, 1, 5_000_000):
        ballast.touch_and_free(size)


def make_bench(entrants, copies=3):
    data = DataSet(
        "C", "t", "npy", "/nowhere", ["a"], 10, 10, 1, "uint8", [10], [4, 6], ["aa", "bb"], "cc", copies, 1.0
    )
    return rounds.Bench(workloads.CELLS[0], data, entrants, {})


def test_bm8_order_is_rotated_between_two_ceilings_and_copies_are_taken_in_turn(monkeypatch):
    ran = []

    def note(bench, entrant):
        ran.append((entrant.name, bench.next_copy()))
        return {"who": entrant.name}

    monkeypatch.setattr(rounds, "run_once", note)
    bench = make_bench(roster.ENTRANTS[:3])
    for number in range(2):
        rounds.run_round(bench, number)
    names = [name for name, _ in ran]
    half = len(names) // 2
    assert names[0] == names[half - 1] == "C1" and names[half] == names[-1] == "C1"
    assert names[half - 4 : half - 1] == [roster.ENTRANTS[i].name for i in (0, 1, 2)]
    assert names[-4:-1] == [roster.ENTRANTS[i].name for i in (1, 2, 0)]
    assert [copy for _, copy in ran[:4]] == [1, 2, 0, 1]


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"pieces": ["aa", "bb"]}, ""),
        ({"pieces": ["aa", "xx"]}, "piece 1 and 0 others"),
        ({"pieces": ["aa"]}, "1 pieces instead of 2"),
        ({}, "0 pieces instead of 2"),
    ],
)
def test_bm12_digests_are_compared_piece_by_piece(told, problem):
    assert rounds.wrong_bytes(make_bench([]), roster.OURS_CPP, told) == problem


def test_bm9_everyone_gets_the_same_environment_without_settings_of_ours(monkeypatch):
    monkeypatch.setenv("LOADSTONE_IO_DIRECT", "off")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    names = rounds.environment()
    assert not [name for name in names if name.startswith(("LOADSTONE_", "MALLOC_"))] and "OMP_NUM_THREADS" in names


def test_rows_and_cells_are_chosen_by_name():
    assert [cell.name for cell in workloads.chosen("W2/C")] == ["W2/C/fresh", "W2/C/present", "W2/C/second"]
    assert [cell.name for cell in workloads.chosen("W1/C W9")] == ["W1/C", "W9/M"], "not W1/C/second"
    assert {cell.row for cell in workloads.chosen("W1 W8")} == {"W1", "W8"}
    with pytest.raises(SystemExit, match="no workload W99"):
        workloads.chosen("W99")


def test_a_changed_count_is_shown_with_the_command_that_accepts_it():
    assert smoke.differences({"W1/C": {"requests": 5}}, {"W1/C": {"requests": 5}}) == []
    changed = smoke.differences({"W1/C": {"requests": 5}}, {"W1/C": {"requests": 4}, "W0": {"opens": 1}})
    assert changed[:2] == ["W0 opens: was 1, is None", "W1/C requests: was 4, is 5"] and smoke.ACCEPT in changed[2]


def test_every_cell_has_its_counts_accepted():
    assert set(json.loads(smoke.EXPECTED.read_text())) == {cell.name for cell in workloads.CELLS}


# ---- several ranks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extent", "ranks", "ends"), [(10, 3, [0, 4, 7, 10]), (2, 3, [0, 1, 2, 2]), (512, 2, [0, 256, 512])]
)
def test_even_parts_are_those_of_loadstone(extent, ranks, ends):
    loadstone = pytest.importorskip("loadstone")
    assert parts.even(extent, ranks) == ends
    plan = loadstone.Distribution.even((extent,), 0, ranks)
    assert [plan.box(rank)[0] for rank in range(ranks)] == list(pairwise(ends))


def test_digests_of_parts_are_those_of_the_slices(tmp_path, monkeypatch):
    if not places.DIGEST_LIBRARY.exists():
        pytest.skip("the benchmarks are not built")
    monkeypatch.setattr(parts, "BLOCK", 48)  # blocks of 3 rows
    digests = Digests(places.DIGEST_LIBRARY)
    array = [bytes(range(16 * row, 16 * row + 16)) for row in range(11)]
    (tmp_path / "copy0").mkdir()
    for name, rows in (("a", array[:7]), ("b", array[7:])):
        (tmp_path / "copy0" / name).write_bytes(b"header" + b"".join(rows))
    data = DataSet("C", "t", "npy", str(tmp_path), ["a", "b"], 188, 176, 16, "float32", [7, 4], [], [], "", 1, 1.0)
    by_rows = [digests.of_bytes(b"".join(array[:6])), digests.of_bytes(b"".join(array[6:]))]
    by_columns = [
        digests.of_bytes(b"".join(row[:8] for row in array)),
        digests.of_bytes(b"".join(row[8:] for row in array)),
    ]
    assert parts.digests(data, 2, 0) == by_rows and parts.digests(data, 2, 1) == by_columns
    assert parts.digests(data, 2, 1) == by_columns, "kept"


def test_a_wrong_part_is_named(monkeypatch):
    bench = make_bench([])
    bench.cell = next(cell for cell in workloads.CELLS if cell.ranks == 2)
    monkeypatch.setattr(parts, "digests", lambda data, ranks, axis: ["aa", "bb"])
    assert rounds.wrong_bytes(bench, roster.OURS_BY_RANKS, {"parts": ["aa", "bb"]}) == ""
    assert (
        rounds.wrong_bytes(bench, roster.OURS_BY_RANKS, {"parts": ["aa", "xx"]}) == "the part of rank 1 and of 0 others"
    )
    assert rounds.wrong_bytes(bench, roster.OURS_BY_RANKS, {}) == "the part of rank 0 and of 1 others"


def test_ranks_are_watched_where_they_are():
    worker = (
        "import os, subprocess, sys; c = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)"
    )
    source = ECHO.format(before=worker, go="pass").replace('print("ready"', 'print(f"ready [{os.getpid()}, {c.pid}]"')
    with contender.Process([sys.executable, "-c", source], {}, rounds.environment(), 30.0) as process:
        process.ready("/nowhere")
        ranks = process._ranks
        assert len(ranks) == 2 and process.go().cpu_s >= 0
    for pid in ranks[1:]:
        assert until(lambda pid=pid: is_gone(pid)), "a rank that is left over is ended with its launcher"


def is_gone(pid):
    try:
        return open(f"/proc/{pid}/stat", encoding="ascii").read().split(")")[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def until(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def test_cells_of_ranks_have_contenders_of_ranks():
    for cell in workloads.CELLS:
        here = [one for one in roster.ENTRANTS if one.belongs(cell.action, cell.ranks)]
        assert here[0].kind == roster.OURS and all(one.by_ranks == (cell.ranks > 1) for one in here), cell.name
        assert list(roster.pair(cell.action, cell.ranks)) == [one for one in here if one.kind == roster.OURS][:2]
        assert (cell.action == "engine") == all(one.program == "engine" for one in here), cell.name
