"""NumPy in its own ways (option `way`): every byte ends in one private array.

load      numpy.load (numpy.fromfile for raw) a shard, then concatenate
mmap      numpy.load(mmap_mode="r") (numpy.memmap for raw), copied into one array
readinto  the fastest plain way: headers by numpy.lib.format, then file.readinto the destination
"""

import json
import os

import numpy
from numpy.lib import format as npy

from protocol import Contender, now, serve

BATCH_DIVISOR = 2  # a batch is half of the cap


class NumpyLoad(Contender):
    def prepare(self, job):
        super().prepare(job)
        self.way = job["options"].get("way", "load")
        if job["destination"] == "present":
            if self.way == "load":
                raise ValueError("numpy.load has no argument for memory that is already there")
            self.result = numpy.ones(job["bytes"], "u1")

    def run(self, job):
        start = now()
        self.shards = shards_of(job)
        found = now() - start
        if job["action"] == "stream":
            self.stream(job)
        elif job["action"] == "load":
            self.load(job)
        return {"stages": {"header": found, "read": now() - start - found}}

    def load(self, job):
        if self.way == "load":
            parts = [whole(job, shard) for shard in self.shards]
            self.result = numpy.concatenate(parts) if len(parts) > 1 else parts[0]
            return
        if job["destination"] != "present":
            self.result = numpy.empty(job["bytes"], "u1")
        fill = {"mmap": map_into, "readinto": read_into}[self.way]
        at = 0
        for shard in self.shards:
            size = shard["bytes"]
            fill(shard, 0, self.result[at : at + size])
            at += size

    def stream(self, job):
        self.whole = self.digests.stream()
        room = numpy.empty(min(job["cap_bytes"] // BATCH_DIVISOR, job["bytes"]), "u1")
        fill = {"mmap": map_into, "readinto": read_into, "load": read_into}[self.way]
        for shard in self.shards:
            for begin in range(0, shard["bytes"], len(room)):
                batch = room[: min(len(room), shard["bytes"] - begin)]
                fill(shard, begin, batch)
                self.whole.add(batch.ctypes.data, batch.nbytes)

    def digest(self, job):
        if job["action"] == "scan":
            return {"scan": f"{self.shards[0]['dtype'].name} {','.join(str(s['shape'][0]) for s in self.shards)}"}
        if job["action"] == "stream":
            return {"whole": self.whole.take()}
        return self.pieces(job, [self.result.reshape(-1)])


def shards_of(job):
    """Header work: where each shard lies; touching raw ranges of a file are one."""
    if job["form"] == "npy":
        return [npy_shard(os.path.join(job["folder"], name)) for name in job["files"]]
    with open(os.path.join(job["folder"], "shard_meta.json"), encoding="utf-8") as file:
        ranges = json.load(file)["shards"]
    shards = []
    for entry in ranges:
        path, offset, size = (
            os.path.join(job["folder"], entry["path"]),
            entry["offset"],
            entry["rows"] * job["row_bytes"],
        )
        if shards and shards[-1]["path"] == path and shards[-1]["offset"] + shards[-1]["bytes"] == offset:
            shards[-1]["bytes"] += size
        else:
            shards.append({"path": path, "offset": offset, "bytes": size})
    return shards


def npy_shard(path):
    with open(path, "rb") as file:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
        size = dtype.itemsize * int(numpy.prod(shape))
        return {"path": path, "offset": file.tell(), "bytes": size, "shape": shape, "dtype": dtype}


def whole(job, shard):
    if job["form"] == "npy":
        return numpy.load(shard["path"])
    return numpy.fromfile(shard["path"], "u1", shard["bytes"], offset=shard["offset"])


def map_into(shard, begin, into):
    offset = shard["offset"] + begin
    into[:] = numpy.memmap(shard["path"], "u1", "r", offset, into.shape)


def read_into(shard, begin, into):
    with open(shard["path"], "rb", buffering=0) as file:
        file.seek(shard["offset"] + begin)
        view = memoryview(into)
        while len(view) > 0:
            got = file.readinto(view)
            if not got:
                raise EOFError(shard["path"])
            view = view[got:]


if __name__ == "__main__":
    serve(NumpyLoad())
