"""Every .npy file under the given folders (site-packages carry test data of many origins): our reading equals NumPy's,
or we refuse by name what NumPy refuses too, or what we know and do not read.

    real_npy_files.py DUMP FOLDER...      DUMP: the built npy_header_dump"""

import pathlib
import sys
import warnings

try:
    import npy_differential as differential
    from npy_headers import MAGIC
except ImportError:
    print("skipped: this needs NumPy")
    sys.exit(77)

LONGEST_HEADER = 1 << 20
REFUSED_BY_NAME = ("dtype.object", "dtype.structured", "dtype.unsupported")


def header_of(path):
    """The bytes of the file up to its payload, or as many as a header may have."""
    with open(path, "rb") as file:
        data = file.read(12 + LONGEST_HEADER)
    if data[:6] != MAGIC or len(data) < 12:
        return data
    start = 10 if data[6] == 1 else 12
    return data[: start + int.from_bytes(data[8:start], "little")]


def main(dump, *folders):
    warnings.simplefilter("ignore")
    paths = sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.npy") if path.is_file())
    if not paths:
        print("skipped: no .npy file under", *folders)
        sys.exit(77)
    headers = [header_of(path) for path in paths]
    problems = equal = 0
    for path, header, line in zip(paths, headers, differential.ask(dump, headers), strict=True):
        theirs = differential.numpys(header)
        problem = differential.disagreement(line, theirs, promised=False, from_numpy=False)
        if not line.startswith("ok ") and theirs is not None and line.split()[1] not in REFUSED_BY_NAME:
            problem = "NumPy reads it"
        equal += line.startswith("ok ")
        problems += problem is not None
        if problem or not line.startswith("ok "):
            print(f"{path}: {line}{': ' + problem if problem else ''}")
    refused = len(paths) - equal - problems
    print(f"{len(paths)} files, {equal} read equally, {refused} refused by name, {problems} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
