"""Data whose every element is its own linear index, and child processes with a time limit."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from shards import write_shards, write_sparse

ROWS = (6, 0, 3, 8)
ARRAY = np.arange(17 * 5, dtype="f4").reshape(17, 5)

LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "-n"],
    "mpich": ["mpiexec.mpich", "-n"],
}


@pytest.fixture(scope="session")
def run42(tmp_path_factory):
    """17 rows of 5 in four uneven shards, one of them empty."""
    return write_shards(tmp_path_factory.mktemp("data") / "run42", ARRAY, ROWS)


@pytest.fixture(scope="session")
def array():
    return ARRAY


@pytest.fixture(scope="session")
def sparse(tmp_path_factory):
    """64 GiB of holes: reading them takes longer than any test."""
    return write_sparse(tmp_path_factory.mktemp("sparse") / "big.npy", 16777216, 1024)


@pytest.fixture(scope="session")
def long_load(tmp_path_factory):
    """A folder and options of `loadstone load`: 24 GiB of holes in four shards, read for a second or so, 96 MiB kept."""
    folder = tmp_path_factory.mktemp("long")
    for i in range(4):
        write_sparse(folder / f"shard_{i}.npy", 3 << 19, 1024)
    return folder, [
        "--select",
        ":,::256",
        "--budget",
        "4MiB",
        "--io-direct",
        "on",
        "--io-mapped",
        "off",
        "--threads",
        1,
    ]


@pytest.fixture(params=LAUNCHERS)
def launcher(request):
    """The words that come before a number of ranks; skips where there is no such launcher."""
    words = LAUNCHERS[request.param]
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    return words


def run_python(source, *args, prefix=(), timeout=60):
    """Runs Python text in processes of their own; fails with what they printed unless all end well."""
    quiet = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl_base_warn_component_unused": "0"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MPI4PY_")}
    done = subprocess.run(
        [*prefix, sys.executable, "-c", textwrap.dedent(source), *map(str, args)],
        env={**environment, **quiet},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def python():
    return run_python


@pytest.fixture
def on_ranks(launcher):
    """on_ranks(n, source, *args): the same under each MPI's launcher; skips where there is none."""
    pytest.importorskip("mpi4py")

    def call(ranks, source, *args, timeout=90):
        return run_python(source, *args, prefix=[*launcher, str(ranks)], timeout=timeout)

    return call


@pytest.fixture(scope="session")
def package():
    """The folder of the package's sources beside these tests."""
    return Path(__file__).parent.parent / "loadstone"
