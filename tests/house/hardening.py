"""Checks how a program or a shared object was linked (B1), as the loader will see it.

hardening.py FILE [--exports REGEX]: full RELRO, no executable stack, no text relocations, position-independent; with
--exports, every symbol of ours that it shows to others must match (standard library templates, which the linker shares
by name, are nobody's).
"""

import argparse
import re
import subprocess
import sys


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def link_faults(file):
    header, segments, dynamic = run("readelf", "-hW", file), run("readelf", "-lW", file), run("readelf", "-dW", file)
    stack = re.search(r"GNU_STACK.*", segments)
    facts = {
        "not position-independent": re.search(r"Type:\s+DYN", header),
        "no RELRO segment": "GNU_RELRO" in segments,
        "symbols are not bound at start (full RELRO)": re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic),
        "executable stack": stack and "RWE" not in stack.group(),
        "text relocations": "TEXTREL" not in dynamic,
    }
    return [fault for fault, fine in facts.items() if not fine]


def foreign_exports(file, allowed):
    lines = run("nm", "-DC", "--defined-only", file).splitlines()
    names = [line.split(None, 2)[2] for line in lines if len(line.split(None, 2)) == 3]
    nobodys = re.compile(r"([\w ]+ for )?(\w+ )*(std|__gnu_cxx|fmt|nanobind)\b|_")
    ours = [name for name in names if "loadstone" in name or not nobodys.match(name)]
    return [f"exports {name}" for name in ours if not re.fullmatch(allowed, name)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--exports")
    arguments = parser.parse_args()
    faults = link_faults(arguments.file)
    if arguments.exports:
        faults += foreign_exports(arguments.file, arguments.exports)
    for fault in faults:
        print(f"{arguments.file}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
