"""What it takes before a byte is read: process, imports, plan. Interleaved, in seconds."""

import subprocess
import time

from lib import places
from lib.rounds import environment
from lib.sets import DataSet

ROUNDS = 15


def commands(data: DataSet) -> dict[str, list[str]]:
    python, loadstone = str(places.PYTHON), str(places.PYTHON.parent / "loadstone")
    plan = "import sys, loadstone; loadstone.plan(sys.argv[1], ranks=64)"
    return {
        "loadstone --version": [loadstone, "--version"],
        "loadstone plan, 16 shards, 64 ranks": [loadstone, "plan", str(data.copy(0)), "--ranks", "64"],
        "python -c pass": [python, "-c", "pass"],
        "python -c 'import numpy'": [python, "-c", "import numpy"],
        "python -c 'import loadstone'": [python, "-c", "import loadstone"],
        "python: import, plan, 64 ranks": [python, "-c", plan, str(data.copy(0))],
    }


def measure(data: DataSet) -> dict[str, list[float]]:
    """Seconds of each command, ROUNDS times; the first round is not kept."""
    times: dict[str, list[float]] = {name: [] for name in commands(data)}
    for number in range(ROUNDS + 1):
        for name, command in commands(data).items():
            start = time.perf_counter()
            done = subprocess.run(
                command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
            if done.returncode != 0:
                raise SystemExit(f"bench: {name} ends with {done.returncode}")
            if number > 0:
                times[name].append(time.perf_counter() - start)
    return times
