"""The stubs are those of the compiled part, and the package keeps its types."""

import subprocess
import sys
from pathlib import Path

import pytest

import loadstone
from loadstone import _core


def test_the_stub_in_the_sources_is_the_generated_one(package, tmp_path):
    pytest.importorskip("nanobind")
    if not package.exists():
        pytest.skip("the sources are not here")
    made = tmp_path / "_core.pyi"
    folder = str(Path(_core.__file__).parent)
    words = ["-q", "-m", "_core", "-i", folder, "-o", str(made)]
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", *words], check=True, timeout=60)
    assert made.read_text() == (package / "_core.pyi").read_text(), f"copy {made} over python/loadstone/_core.pyi"


def test_the_package_says_that_it_is_typed():
    folder = Path(loadstone.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()


USER = """
import loadstone
import numpy

x = loadstone.load("run42", split=1, budget="64MiB", io_direct="off", rows=(0, 3))
tile: numpy.typing.NDArray[numpy.float32] = x.local
plan: dict[str, object] = loadstone.plan("run42", ranks=4, split=None).to_dict()
for batch in loadstone.stream("run42", batch_rows=3):
    batch.sum()
try:
    loadstone.open(["a", "b"], first_index="any")
except loadstone.Error as error:
    text: str = error.code
loadstone.load("run42", splt=1)
loadstone.load("run42", split="0")
"""


def test_a_user_s_code_is_checked_by_its_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    words = ["--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 2 and "splt" in errors[0] and "split" in errors[1], done.stdout + done.stderr
