"""The protocol of contenders for those of several ranks: rank 0 talks, all load, the slowest ends the clock."""

import json
import os
import sys
from itertools import accumulate, pairwise

import numpy
from mpi4py import MPI

from numpy_load import shards_of
from protocol import Contender, even, say

WORLD = MPI.COMM_WORLD


class RanksContender(Contender):
    """`run` is collective and leaves this rank's part in `self.part`."""

    def digest(self, job):
        if not (self.part.flags.c_contiguous and self.part.flags.writeable):
            raise ValueError("the part is not one dense, writable array")
        return self.digests.of_pieces(self.part.ctypes.data, [self.part.nbytes])[0]


def serve_ranks(contender):
    """As `serve`. A rank that fails says so and takes the others with it."""
    try:
        job = json.loads(told())
        contender.prepare(job)
        pids = WORLD.gather(os.getpid())
        say_on_root("ready", pids)
        while (line := told()) in ("go\n", "digest\n"):
            if line == "go\n":
                reports = WORLD.gather(contender.run(job) or {})
                say_on_root("done", reports and together(reports))
            else:
                parts = WORLD.gather(contender.digest(job))
                say_on_root("digest", {"parts": parts})
    except Exception as error:
        print(f"failed {type(error).__name__}: {error}".replace("\n", " "), flush=True)
        WORLD.Abort(1)


def told():
    return WORLD.bcast(sys.stdin.readline() if WORLD.rank == 0 else None)


def say_on_root(word, value):
    if WORLD.rank == 0:
        say(word, value)


def together(reports):
    """Seconds of the slowest rank, counts of all of them."""
    stages, counts = {}, {}
    for report in reports:
        for name, seconds in report.get("stages", {}).items():
            stages[name] = max(seconds, stages.get(name, 0.0))
        for name, count in report.get("counts", {}).items():
            counts[name] = max(count, counts.get(name, 0)) if name == "budget_peak" else count + counts.get(name, 0)
    return {"stages": stages, "counts": counts}


def placed_shards(job):
    """Header work: the shards, with the rows of the array that each holds as `begin` and `end`."""
    shards = shards_of(job)
    ends = list(accumulate((shard["shape"][0] for shard in shards), initial=0))
    for shard, (begin, end) in zip(shards, pairwise(ends), strict=True):
        shard |= {"begin": begin, "end": end}
    return shards


def empty_part(job, shards):
    """This rank's part, and its first and last row and column."""
    rows, columns = even(shards[-1]["end"], WORLD.size), even(shards[0]["shape"][1], WORLD.size)
    at = slice(WORLD.rank, WORLD.rank + 2)
    (top, bottom), (left, right) = (rows[at], (0, columns[-1])) if job["axis"] == 0 else ((0, rows[-1]), columns[at])
    return numpy.empty((bottom - top, right - left), job["dtype"]), (top, bottom, left, right)
