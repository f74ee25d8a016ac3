"""Files that are rewritten, cut, renamed and touched while they are loaded, by every way of reading (IO-6, T20).

Every load is exact or a typed error, and the process lives."""

import os

LOADS = int(os.environ.get("LOADSTONE_CHANGING_LOADS", "400"))
SEED = int(os.environ.get("LOADSTONE_TEST_SEED", "1"))

JOB = """
    import os, pathlib, random, sys, tempfile, threading, time
    import numpy as np
    import loadstone

    loads, seed = int(sys.argv[1]), int(sys.argv[2])
    choose = random.Random(seed)
    ROWS = 3 * 16000
    present = np.zeros((ROWS, 50), "<u4")
    present += 1  # memory that is there: resident pages are mapped
    WAYS = [
        {},
        {"out": present},
        {"out": present, "io_mapped": "off"},
        {"io_direct": "on"},
        {"io_direct": "on", "io_landing": "staged"},
        {"io_backend": "posix"},
        {"split": None, "dtype": "<u8", "budget": "8MiB"},
    ]
    # Not in /tmp, which may be memory: that knows no direct reads.
    with tempfile.TemporaryDirectory(prefix="loadstone-changing-", dir=".") as name:
        folder = pathlib.Path(name)
        paths = [folder / f"shard_{i}.npy" for i in range(3)]
        for path in paths:
            np.save(path, np.full((16000, 50), 7, "<u4"))
            with open(path, "rb") as file:
                os.fsync(file.fileno())  # pages that are dirty are never mapped
        whole = paths[1].read_bytes()
        stop = threading.Event()

        def meddle():
            turn = 0
            while not stop.is_set():
                turn += 1
                if turn % 4 == 0:
                    os.truncate(paths[1], len(whole) // 3)
                    time.sleep(0.0004)
                elif turn % 4 == 1:
                    other = folder / "new"
                    other.write_bytes(whole)
                    os.replace(other, paths[1])
                elif turn % 4 == 2:
                    os.utime(paths[1])
                with open(paths[1], "r+b") as file:
                    file.write(whole)
                    file.flush()
                    if turn % 3 == 0:
                        os.fsync(file.fileno())
                time.sleep(0.03 if turn % 5 == 0 else 0.003)

        thread = threading.Thread(target=meddle)
        thread.start()
        tally = {}
        ways = set()
        try:
            for _ in range(loads):
                if choose.random() < 0.3:
                    with open(paths[choose.randrange(3)], "rb") as file:
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                        if choose.random() < 0.7:
                            file.read()
                try:
                    x = loadstone.load(folder / "shard_*.npy", **choose.choice(WAYS))
                    right = x.shape == (ROWS, 50) and bool((x.local == 7).all())
                    key = "exact" if right else "wrong"
                    ways |= set(x.stats.bytes_by_way)
                except loadstone.Error as error:
                    key = error.code
                tally[key] = tally.get(key, 0) + 1
        finally:
            stop.set()
            thread.join()
    print(dict(sorted(tally.items())), "by", ", ".join(sorted(ways)), "- seed", seed)
    assert "wrong" not in tally, "bytes that the shards never held together"
    assert set(tally) <= {"exact", "changed", "truncated", "mismatch", "malformed"}, tally
"""


def test_t20_loads_of_changing_files_are_exact_or_typed(python, capsys):
    done = python(JOB, LOADS, SEED, timeout=60 + LOADS // 5)
    with capsys.disabled():
        print(f"\n{LOADS} loads: {done.strip()}")
