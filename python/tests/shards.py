"""Shards that the tests write."""

import numpy as np


def write_shards(folder, array, rows):
    """One .npy file for each count of rows."""
    folder.mkdir(exist_ok=True)
    ends = np.cumsum(rows)
    for i, (end, count) in enumerate(zip(ends, rows, strict=True)):
        np.save(folder / f"shard_{i:04}.npy", array[end - count : end])
    return folder


def write_sparse(path, rows, columns):
    """float32 zeros that take no room on the disk."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117).encode() + b"\n")
        file.truncate(128 + 4 * rows * columns)
    return path
