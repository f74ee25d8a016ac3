"""DS31: generated .npy headers through our parser and NumPy's. What NumPy refuses we refuse; what we accept is equal in
shape, order, type and data offset; what our grammar promises is accepted.

    npy_differential.py DUMP [COUNT] [SEED]      DUMP: the built npy_header_dump; COUNT: headers, 20,000 by default

NumPy's cap on the header size is lifted. Where NumPy's verdict depends on its Python (an L after a number is refused by
the tokenizer of 3.12 and later), its verdict without the L counts."""

import io
import os
import random
import re
import struct
import subprocess
import sys
import warnings

try:
    import numpy as np
    from npy_headers import case, framed
except ImportError:
    if __name__ != "__main__":
        raise
    print("skipped: this needs NumPy")
    sys.exit(77)

try:  # NumPy 2 keeps the reader that takes a size cap here
    from numpy.lib import _format_impl as npformat
except ImportError:
    from numpy.lib import format as npformat

PLAIN_LONG = re.compile(rb"(?<=[0-9])L(?=[ ,)])")


def without_longs(header):
    version, start = header[6], 10 if header[6] == 1 else 12
    text = PLAIN_LONG.sub(b"", header[start:])
    return header[:8] + struct.pack("<H" if version == 1 else "<I", len(text)) + text


def numpys(header):
    """(shape, fortran_order, dtype, data offset) as NumPy reads them, or None."""
    buffer = io.BytesIO(header)
    try:
        version = npformat.read_magic(buffer)
        shape, order, dtype = npformat._read_array_header(buffer, version, max_header_size=2**62)
    except Exception:
        return None
    if dtype.hasobject or min(shape, default=0) < 0 or len(shape) > 64:
        return None
    elements = 1
    for extent in shape:
        elements *= max(extent, 1)
    if elements > np.iinfo(np.int64).max:
        return None
    if max(shape, default=0) and elements * dtype.itemsize <= 4096:  # small enough to be loaded
        try:
            whole = npformat.read_array(io.BytesIO(header + bytes(4096)), allow_pickle=False, max_header_size=2**62)
        except Exception:
            return None
        if whole.shape != shape or whole.dtype != dtype:
            return None
    return shape, order, dtype, buffer.tell()


def verdict(header, python_takes_longs):
    theirs = numpys(header)
    if theirs is None and not python_takes_longs and header[6] < 3 and PLAIN_LONG.search(header):
        plain = without_longs(header)
        theirs = numpys(plain)
        theirs = theirs and (*theirs[:3], theirs[3] + len(header) - len(plain))
    return theirs


def disagreement(line, theirs, promised, from_numpy):
    """Why our line is wrong, or None."""
    if not line.startswith("ok "):
        return "refused, though our grammar promises it" if promised else None
    if theirs is None:
        return "accepted, NumPy refuses it"
    descr, order, offset, extents, same = re.fullmatch(r"ok (\S+) ([CF]) (\d+) (\S*) (same|other)", line).groups()
    ours = (tuple(int(e) for e in extents.split(",") if e), order == "F", np.dtype(descr), int(offset))
    same_type = ours[2].str == theirs[2].str or (
        theirs[2].itemsize == 0 and ours[2].kind == theirs[2].kind
    )  # no bytes, no order
    if ours[:2] + ours[3:] != theirs[:2] + theirs[3:] or not same_type:
        return f"{ours} against {theirs}"
    if from_numpy and order == "C" and theirs[2].itemsize and same != "same":
        return "our writer would not have written the bytes that NumPy wrote"
    return None


def ask(dump, headers):
    data = b"".join(struct.pack("<I", len(h)) + h for h in headers)
    done = subprocess.run([dump], input=data, stdout=subprocess.PIPE, check=True)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(headers), f"{len(lines)} lines for {len(headers)} headers"
    return lines


def main(dump, count=20_000, seed=None):
    seed = int(seed if seed is not None else os.environ.get("LOADSTONE_TEST_SEED", 1))
    rng = random.Random(seed)
    warnings.simplefilter("ignore")
    longs = numpys(framed(random.Random(0), b"{'descr': '<i4', 'fortran_order': False, 'shape': (6L,)}", 1)) is not None
    accepted = agreed_refusals = stricter = 0
    left = int(count)
    while left > 0:
        cases = [case(rng) for _ in range(min(left, 20_000))]
        left -= len(cases)
        for (header, promised, from_numpy), line in zip(cases, ask(dump, [c[0] for c in cases]), strict=True):
            theirs = verdict(header, longs)
            problem = disagreement(line, theirs, promised, from_numpy)
            if problem:
                sys.exit(f"seed {seed}: {header!r}\n  ours: {line}\n  {problem}")
            accepted += line.startswith("ok ")
            agreed_refusals += not line.startswith("ok ") and theirs is None
            stricter += not line.startswith("ok ") and theirs is not None
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    print(f"{count} headers, seed {seed}, numpy {np.__version__}, python {python}:")
    print(f"{accepted} accepted and equal, {agreed_refusals} refused by both, {stricter} refused by us alone")


if __name__ == "__main__":
    main(*sys.argv[1:])
