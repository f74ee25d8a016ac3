"""Files that are rewritten, cut and touched while they are loaded (IO-6, T20).

Every load is exact or a typed error, and the process lives."""

import os

LOADS = int(os.environ.get("LOADSTONE_CHANGING_LOADS", "400"))

JOB = """
    import os, pathlib, sys, tempfile, threading, time
    import numpy as np
    import loadstone

    loads = int(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="loadstone-changing-") as name:
        folder = pathlib.Path(name)
        paths = [folder / f"shard_{i}.npy" for i in range(3)]
        for path in paths:
            np.save(path, np.full((2000, 50), 7, "<u4"))
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
                time.sleep(0.003)

        thread = threading.Thread(target=meddle)
        thread.start()
        tally = {}
        try:
            for _ in range(loads):
                try:
                    x = loadstone.load(folder / "shard_*.npy")
                    right = x.shape == (6000, 50) and bool((x.local == 7).all())
                    key = "exact" if right else "wrong"
                except loadstone.Error as error:
                    key = error.code
                tally[key] = tally.get(key, 0) + 1
        finally:
            stop.set()
            thread.join()
    print(dict(sorted(tally.items())))
    assert "wrong" not in tally, "bytes that the shards never held together"
    assert set(tally) <= {"exact", "changed", "truncated", "mismatch", "malformed"}, tally
"""


def test_t20_loads_of_changing_files_are_exact_or_typed(python, capsys):
    done = python(JOB, LOADS, timeout=30 + LOADS // 10)
    with capsys.disabled():
        print(f"\n{LOADS} loads: {done.strip()}")
