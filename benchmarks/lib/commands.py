"""The words of `benchmarks/bench`."""

import argparse

from lib import measure, peers, sets, smoke, workloads

RECIPES = " ".join(sets.RECIPES)


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="bench", description="Measures Loadstone beside patterns, peers and ceilings.")
    commands = root.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="rounds of the chosen rows, stored under results/")
    run.add_argument("--only", default="", help='rows or cells, such as "W1 W2/C", or "startup"; all, if none is named')
    run.add_argument(
        "--peers", default="", help='peers by the start of their names, such as "numpy"; all, if none is named'
    )
    run.add_argument("--rounds", type=int, default=9, help="9 or more; the first is dropped")
    run.add_argument("--scale", type=float, default=0.25, help="of the data sets; 1 is 2 GiB for A and C")
    run.add_argument("--force", action="store_true", help="measure on a busy machine; the run is marked not quotable")
    once = commands.add_parser("smoke", help="every cell once: right bytes, exact counts, no clock")
    once.add_argument("--accept", action="store_true", help="the counts of now are the expected ones from now on")
    data = commands.add_parser("data", help="makes the data sets, or checks them by their digests")
    data.add_argument("--only", default=RECIPES)
    data.add_argument("--scale", type=float, default=0.25)
    data.add_argument("--check", action="store_true")
    report = commands.add_parser("report", help="table.md and plot.svg of a stored run, and the numbers of the README")
    report.add_argument(
        "run", nargs="?", default="", help="folder, or the start of its name; the newest, if none is named"
    )
    report.add_argument("--no-readme", action="store_true")
    there = commands.add_parser("peers", help="which peers are present, absent, or do not import")
    there.add_argument("--install", action="store_true", help="puts the pinned wheels into benchmarks/.venv")
    commands.add_parser("list", help="rows and cells")
    return root


def main(words: list[str] | None = None) -> int:
    args = parser().parse_args(words)
    if args.command == "run":
        return measure.run(args.only, args.peers, args.rounds, args.scale, args.force)
    if args.command == "smoke":
        return smoke.run(args.accept)
    if args.command == "data":
        return make_data(args.only, args.scale, args.check)
    if args.command == "report":
        return measure.report_stored(args.run, not args.no_readme)
    if args.command == "peers":
        return show_peers(args.install)
    for cell in workloads.CELLS:
        print(f"{cell.name:16} {workloads.QUESTIONS[cell.row]}; data set {cell.data}, ceiling {cell.ceiling}")
    return 0


def make_data(only: str, scale: float, check: bool) -> int:
    wrong = []
    for name in only.split():
        data = sets.make_set(name, scale)
        wrong += sets.check_set(data) if check else []
        print(f"{name}: {data.title}, {data.bytes:,} bytes x {data.copies} copies, digest {data.whole}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


def show_peers(install: bool) -> int:
    if install:
        peers.install()
    for found in peers.look():
        print(f"{found['name']:22} {found['wanted']:9} {found['state']:30} reads {found['reads']}")
    return 0
