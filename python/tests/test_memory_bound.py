"""The peak seen from outside (IO-31, M5): growth of a load <= result + budget + 64 MiB + 1 % of the result.

No load gives other bytes than NumPy, for random shapes, orders, types, splits, casts and budgets."""

import os

CASES = int(os.environ.get("LOADSTONE_MEMORY_CASES", "40"))
SEED = int(os.environ.get("LOADSTONE_TEST_SEED", "1"))

JOB = """
    import os, pathlib, re, shutil, sys, tempfile
    import numpy as np
    import loadstone

    def status(key):
        return int(re.search(key + r":\\s+(\\d+)", open("/proc/self/status").read()).group(1)) * 1024

    cases, seed = map(int, sys.argv[1:])
    rng = np.random.default_rng(seed)
    root = pathlib.Path(tempfile.mkdtemp(prefix="loadstone-memory-"))
    worst = 0
    try:
        for case in range(cases):
            rows = int(rng.integers(1, 40_000))
            columns = int(rng.integers(1, 400))
            dtype = rng.choice(["<f4", ">f4", "<f8", "<i2", ">i4", "|u1"])
            array = np.arange(rows * columns, dtype="u4").astype(dtype).reshape(rows, columns)
            folder = root / str(case)
            folder.mkdir()
            cuts = np.sort(rng.integers(0, rows + 1, int(rng.integers(0, 5))))
            for i, part in enumerate(np.split(array, cuts)):
                order = rng.choice(["C", "F"])
                np.save(folder / f"shard_{i:02}.npy", np.asarray(part, order=order))
                with open(folder / f"shard_{i:02}.npy", "rb") as file:
                    os.fdatasync(file.fileno())
                    if rng.integers(2):
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            options = {"split": int(rng.integers(0, 2)), "budget": int(rng.integers(1, 64)) * 2**20}
            if rng.integers(2):
                options["dtype"] = "float64"
                options["casting"] = "lossy"
            wanted = array.astype(options.get("dtype", array.dtype.newbyteorder("=")))
            del array
            loadstone.load(folder, rows=(0, 1))
            open("/proc/self/clear_refs", "w").write("5")
            base = status("VmRSS")
            x = loadstone.load(folder, **options)
            grown = status("VmHWM") - base
            allowed = x.local.nbytes + options["budget"] + 64 * 2**20 + x.local.nbytes // 100
            told = f"case {case}: {options} {dtype} {wanted.shape}"
            assert grown <= allowed, f"{told}: grew by {grown:,}, allowed {allowed:,}"
            assert x.stats.peak_bytes <= options["budget"], f"{told}: {x.stats.peak_bytes}"
            assert np.array_equal(x.local, wanted), f"{told}: other values"
            worst = max(worst, (grown - x.local.nbytes - options["budget"]) / 2**20)
            del x, wanted
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(root)
    print(f"{cases} cases, seed {seed}: at most {worst:.1f} MiB beyond result and budget")
"""


def test_io31_memory_of_random_loads_seen_from_outside(python, capsys):
    done = python(JOB, CASES, SEED, timeout=30 + 2 * CASES)
    with capsys.disabled():
        print(f"\n{done.strip()}")


HELD = """
    import re, tempfile
    import numpy as np
    import loadstone

    def resident():
        return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read()).group(1)) * 1024

    rows, budget = 4096 + 64, 16 << 20  # 4 MiB and a little: the rest of its last 2 MiB page is nobody's
    with tempfile.TemporaryDirectory(prefix="loadstone-held-") as folder:
        loadstone.write(folder, shape=(60 * rows, 256), shards=7, dtype="int32", fill="index")
        base = resident()
        held = list(loadstone.stream(folder, batch_rows=rows, budget=budget))
        grown = resident() - base
    whole = sum(batch.nbytes for batch in held)
    assert len(held) == 60 and [int(batch[0, 0]) for batch in held] == [i * rows * 256 for i in range(60)]
    assert grown <= whole + budget + 64 * 2**20 + whole // 100, f"grew by {grown:,} for {whole:,}"
"""


def test_io31_batches_that_are_kept_take_what_they_hold(python):
    python(HELD)
