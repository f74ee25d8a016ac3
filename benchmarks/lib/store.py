"""Stored runs: results/<date>_<machine>_<commit>/run.json, of which table and plot derive. Rows merge into one run."""

import datetime
import json
from pathlib import Path
from typing import Any

from lib import machine, places, validate

SCHEMA = places.BENCHMARKS / "lib/schema.json"
Run = dict[str, Any]


def new_run(scale: float) -> Run:
    return {
        "schema": 1,
        "date": datetime.date.today().isoformat(),
        "commit": machine.commit(),
        "machine": machine.note(),
        "scale": scale,
        "quotable": True,
        "not_quotable_because": [],
        "environment": {},
        "peers": [],
        "tuning": {},
        "cells": [],
        "startup": {},
    }


def folder_of(run: Run, results: Path = places.RESULTS) -> Path:
    return results / f"{run['date']}_{machine.slug()}_{run['commit']}"


def open_run(scale: float, results: Path = places.RESULTS) -> tuple[Path, Run]:
    """The run of today, this machine, commit and scale: a stored one, into which further rows go, or a new one."""
    run = new_run(scale)
    folder = folder_of(run, results)
    try:
        stored = load(folder)
    except FileNotFoundError:
        return folder, run
    if stored["scale"] != scale:
        raise SystemExit(
            f"bench: {folder.name} was measured at scale {stored['scale']:g}; move it away to measure anew"
        )
    return folder, stored


def put_cell(run: Run, cell: dict[str, Any]) -> None:
    """Adds a cell, in place of one of the same name; cells stay in order of their names."""
    run["cells"] = sorted([c for c in run["cells"] if c["name"] != cell["name"]] + [cell], key=lambda c: c["name"])


def load(folder: Path) -> Run:
    """A stored run that obeys the schema."""
    run: Run = json.loads((folder / "run.json").read_text())
    faults = validate.faults(run, json.loads(SCHEMA.read_text()))
    if faults:
        raise SystemExit(f"bench: {folder}/run.json: {faults[0]} ({len(faults)} faults)")
    return run


def save(folder: Path, run: Run) -> None:
    faults = validate.faults(run, json.loads(SCHEMA.read_text()))
    if faults:
        raise SystemExit(f"bench: the run does not obey its schema: {faults[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / "run.json.partial"
    partial.write_text(json.dumps(run, separators=(",", ":")).replace('{"round":', '\n{"round":') + "\n")
    partial.replace(folder / "run.json")


def find(name: str) -> Path:
    """A stored run by its folder, or by the start of its name; the newest, if nothing is named."""
    for folder in (Path(name), places.RESULTS / name):
        if name and (folder / "run.json").exists():
            return folder.resolve()
    found = sorted(path.parent for path in places.RESULTS.glob(f"{name}*/run.json"))
    if not found:
        raise SystemExit(f"bench: no stored run {name!r} in {places.RESULTS}")
    return found[-1]
