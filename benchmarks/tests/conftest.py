"""Puts benchmarks/ on the path, as benchmarks/bench does; makes stored cells to judge."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def record(who, total_s, **more):
    """One measurement with plain figures."""
    plain = {
        "who": who,
        "copy": 0,
        "failed": "",
        "void": "",
        "wrong": "",
        "start_s": 0.5,
        "total_s": total_s,
        "cpu_s": 0.3,
        "read_bytes": 1_000_000_000,
        "base_bytes": 10_000_000,
        "peak_bytes": 1_030_000_000,
        "stages": {"header": 0.01},
        "counts": {"requests": 1000},
        "cached_before": 0.0,
        "cached_after": 0.0,
    }
    return plain | more


def make_round(number, ours=1.0, again=1.0, pattern=2.0, peer=1.5, ceilings=(0.9, 1.0)):
    return {
        "round": number,
        "busy": 1.0,
        "steal": 0.0,
        "records": [
            record("C1", ceilings[0]),
            record("C6", 0.1, cpu_s=0.1),
            record("ours", ours),
            record("ours (again)", again),
            record("pattern", pattern, cpu_s=1.1),
            record("peer", peer, cpu_s=2.1),
            record("C1", ceilings[1]),
        ],
    }


def make_cell(rounds, **more):
    kinds = {"ours": "ours", "ours (again)": "ours", "pattern": "pattern", "peer": "peer"}
    plain = {
        "row": "W1",
        "name": "W1/C",
        "data": "C",
        "title": "npy",
        "state": "cold",
        "ceiling": "C1",
        "beside": ["C6"],
        "action": "load",
        "destination": "fresh",
        "cap_bytes": 0,
        "bytes": 1_000_000_000,
        "same": ["ours", "ours (again)"],
        "targets": {"bound": 0.90, "best_peer": 1.2, "cpu_share": 0.2, "within_s": None},
        "entrants": [
            {"name": name, "kind": kind, "program": "p", "options": {}, "refuses": ""} for name, kind in kinds.items()
        ],
        "rounds": rounds,
    }
    return plain | more


def make_run(cells, **more):
    machine = {
        "cpu": "A CPU",
        "cores": 2,
        "memory_bytes": 1 << 30,
        "kernel": "6",
        "virtualised": True,
        "file_system": {"type": "ext4", "options": "rw"},
        "huge_pages": "madvise",
    }
    plain = {
        "schema": 1,
        "date": "2026-01-31",
        "commit": "0123456789",
        "machine": machine,
        "scale": 0.25,
        "quotable": True,
        "not_quotable_because": [],
        "environment": {},
        "peers": [{"name": "numpy", "wanted": "2", "state": "absent", "reads": "npy"}],
        "tuning": {"block": "1", "depth": "8"},
        "cells": cells,
        "startup": {"import": [0.1, 0.2, 0.3]},
    }
    return plain | more


class Make:
    record = staticmethod(record)
    round = staticmethod(make_round)
    cell = staticmethod(make_cell)
    run = staticmethod(make_run)


@pytest.fixture(scope="session")
def make():
    return Make
