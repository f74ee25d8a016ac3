"""Where things are: the checkout, what was built, the interpreters, the data sets, the results."""

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
RESULTS = BENCHMARKS / "results"
PROGRAMS = Path(os.environ.get("BENCH_PROGRAMS", ROOT / "build/release/benchmarks"))
DIGEST_LIBRARY = PROGRAMS / "libbench_digest.so"
PYTHON = Path(os.environ.get("BENCH_PYTHON", ROOT / ".venv/bin/python"))  # has loadstone and numpy
RUNS_LIBRARY = PROGRAMS / "libbench_runs.so"
LAUNCHERS = ("mpirun.openmpi", "mpiexec.mpich")
PEER_PYTHON = Path(
    os.environ.get("BENCH_PEER_PYTHON", BENCHMARKS / ".venv/bin/python")
)  # has the peers, once `bench peers --install` was asked for


def data_folder() -> Path:
    """Where data sets lie. They belong on the storage that is to be measured: BENCH_DATA moves them."""
    return Path(os.environ.get("BENCH_DATA", BENCHMARKS / "data"))


def launcher(ranks: int) -> list[str]:
    """The words that start a program on so many ranks of this machine, each on any core."""
    found = next((name for name in LAUNCHERS if shutil.which(name)), LAUNCHERS[0])
    free = ["--bind-to", "none", "--oversubscribe"] if "openmpi" in found else ["-bind-to", "none"]
    return [found, *free, "-n", str(ranks)]
