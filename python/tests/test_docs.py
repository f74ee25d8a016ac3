"""The example in the package's own words runs."""

import re

import loadstone


def test_the_example_of_the_package_runs(run42, monkeypatch):
    monkeypatch.chdir(run42.parent)
    lines = re.findall(r"^    (.+)$", loadstone.__doc__, re.MULTILINE)
    space = {}
    exec("\n".join(lines), space)
    assert space["x"].shape == (17, 5)
