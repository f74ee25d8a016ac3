"""The README's first screen, run as a reader would: the commands print what it shows, the Python example works."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text()


def blocks(language):
    """The fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def run(*words, cwd):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    done = subprocess.run(
        words, cwd=cwd, env={**environment, "PATH": path}, text=True, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The folder in which the commands of the first block ran, and what they printed."""
    folder = tmp_path_factory.mktemp("readme")
    commands = re.findall(r"^\$ (loadstone .*)$", blocks("")[0], re.MULTILINE)
    assert commands
    return folder, "".join(run("bash", "-c", command, cwd=folder) for command in commands)


def test_the_commands_print_the_lines_that_are_shown_in_that_order(shown):
    printed = [line.rstrip() for line in shown[1].splitlines()]
    wanted = [line.rstrip() for line in blocks("")[0].splitlines() if not line.startswith(("$", "..."))]
    assert wanted
    for line in wanted:
        assert line in printed, f"not printed (or not in this order): {line}"
        printed = printed[printed.index(line) + 1 :]


def test_the_python_example_runs(shown):
    printed = run(sys.executable, "-c", blocks("python")[0], cwd=shown[0])
    assert printed.startswith("(6020, 256) float32")
