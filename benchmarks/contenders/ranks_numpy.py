"""How ranks come by their parts of .npy shards today, with NumPy and mpi4py (option `way`):

scatter   P4: rank 0 loads every shard by numpy.load, and sends each rank its part
keep      P5: every rank loads every shard by numpy.load, and keeps its part of it
runs      P6: every rank reads its own runs, one pread each
gather    P7: every rank reads its rows, an Allgatherv brings all rows everywhere, each keeps its part
"""

import ctypes
import os
from itertools import pairwise

import numpy
from mpi4py import MPI

from protocol import even, now
from ranks import WORLD, RanksContender, empty_part, placed_shards, serve_ranks


class RanksNumpy(RanksContender):
    def prepare(self, job):
        super().prepare(job)
        self.carry_out = {"scatter": scatter, "keep": keep, "runs": self.read_runs, "gather": gather}[
            job["options"]["way"]
        ]
        self.library = ctypes.CDLL(job["runs_library"])
        self.library.bench_read_runs.argtypes = [ctypes.c_int, *[ctypes.c_int64] * 4, ctypes.c_void_p]

    def run(self, job):
        start = now()
        shards = placed_shards(job)
        found = now() - start
        self.part, place = empty_part(job, shards)
        self.carry_out(job, shards, self.part, place)
        WORLD.Barrier()
        return {"stages": {"header": found, "read": now() - start - found}}

    def read_runs(self, job, shards, part, place):
        _, _, left, right = place
        item = part.itemsize
        for shard, first, last, into in shares(shards, part, place):
            row_bytes = shard["shape"][1] * item
            offset = shard["offset"] + first * row_bytes + left * item
            run, count = (right - left) * item, last - first
            if run == row_bytes:
                run, count = run * count, 1
            with open(shard["path"], "rb") as file:
                done = self.library.bench_read_runs(file.fileno(), offset, run, row_bytes, count, into.ctypes.data)
            if done != 0:
                raise OSError(done, os.strerror(done), shard["path"])


def shares(shards, part, place):
    """Of each shard that holds some of this rank's rows: its first and last row, and where they go in the part."""
    top, bottom, _, _ = place
    for shard in shards:
        first, last = max(top, shard["begin"]), min(bottom, shard["end"])
        if first < last:
            yield shard, first - shard["begin"], last - shard["begin"], part[first - top : last - top]


def keep(job, shards, part, place):
    _, _, left, right = place
    for shard in shards:
        whole = numpy.load(shard["path"])
        for _, first, last, into in shares([shard], part, place):
            into[:] = whole[first:last, left:right]


def scatter(job, shards, part, place):
    whole = numpy.concatenate([numpy.load(shard["path"]) for shard in shards]) if WORLD.rank == 0 else None
    if job["axis"] == 0:
        rows = even(shards[-1]["end"], WORLD.size)
        columns = part.shape[1]
        counts = [(end - begin) * columns for begin, end in pairwise(rows)]
        offsets = [row * columns for row in rows[:-1]]
        WORLD.Scatterv([whole, counts, offsets, MPI.FLOAT] if WORLD.rank == 0 else None, part)
        return
    if WORLD.rank != 0:
        WORLD.Recv(part, source=0)
        return
    columns = even(shards[0]["shape"][1], WORLD.size)
    for rank in range(1, WORLD.size):
        WORLD.Send(numpy.ascontiguousarray(whole[:, columns[rank] : columns[rank + 1]]), dest=rank)
    part[:] = whole[:, : columns[1]]


def gather(job, shards, part, place):
    columns = shards[0]["shape"][1]
    rows = even(shards[-1]["end"], WORLD.size)
    mine = (rows[WORLD.rank], rows[WORLD.rank + 1], 0, columns)
    own = numpy.empty((mine[1] - mine[0], columns), part.dtype)
    for shard, first, last, into in shares(shards, own, mine):
        offset = shard["offset"] + first * columns * part.itemsize
        into[:] = numpy.fromfile(shard["path"], part.dtype, (last - first) * columns, offset=offset).reshape(
            -1, columns
        )
    whole = numpy.empty((rows[-1], columns), part.dtype)
    counts = [(end - begin) * columns for begin, end in pairwise(rows)]
    WORLD.Allgatherv(own, [whole, counts, [row * columns for row in rows[:-1]], MPI.FLOAT])
    top, bottom, left, right = place
    part[:] = whole[top:bottom, left:right]


if __name__ == "__main__":
    serve_ranks(RanksNumpy())
