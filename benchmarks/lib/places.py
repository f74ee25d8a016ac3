"""Where things are: the checkout, what was built, the interpreters, the data sets, the results."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
RESULTS = BENCHMARKS / "results"
PROGRAMS = Path(os.environ.get("BENCH_PROGRAMS", ROOT / "build/release/benchmarks"))
DIGEST_LIBRARY = PROGRAMS / "libbench_digest.so"
PYTHON = Path(os.environ.get("BENCH_PYTHON", ROOT / ".venv/bin/python"))  # has loadstone and numpy
PEER_PYTHON = Path(
    os.environ.get("BENCH_PEER_PYTHON", BENCHMARKS / ".venv/bin/python")
)  # has the peers, once `bench peers --install` was asked for


def data_folder() -> Path:
    """Where data sets lie. They belong on the storage that is to be measured: BENCH_DATA moves them."""
    return Path(os.environ.get("BENCH_DATA", BENCHMARKS / "data"))
