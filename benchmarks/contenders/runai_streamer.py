"""Run:ai Model Streamer: ranges of files, with its own threads and memory limit. A shard or a tensor is a range.

load    tensors are kept as they come: memory that the streamer hands over (owned=True)
stream  memory_limit is the cap; each range is checksummed as it comes and dropped
"""

import json
import os

from runai_model_streamer.file_streamer import FileStreamer
from runai_model_streamer.file_streamer.requests_iterator import FileChunks

from protocol import Contender, now, serve


class RunaiStreamer(Contender):
    def prepare(self, job):
        super().prepare(job)
        if job["destination"] == "present":
            raise ValueError("the streamer takes no memory that is already there")

    def run(self, job):
        start = now()
        requests = requests_of(job)
        found = now() - start
        first = [0]
        for request in requests:
            first.append(first[-1] + len(request.sizes))
        self.tensors = [None] * first[-1]
        limit = job["cap_bytes"] if job["action"] == "stream" else None
        with FileStreamer() as streamer:
            streamer.stream_files(requests, memory_limit=limit)
            for file, index, tensor in streamer.get_chunks():
                self.tensors[first[file] + index] = self.keep(job, tensor)
        return {"stages": {"header": found, "read": now() - start - found}}

    def keep(self, job, tensor):
        """The range itself, or its digest."""
        if job["action"] == "load":
            return tensor
        return self.digests.of_pieces(tensor.data_ptr(), [tensor.numel()])[0]

    def digest(self, job):
        if job["action"] == "stream":
            return {"pieces": self.tensors}
        return {"pieces": [self.digests.of_pieces(one.data_ptr(), [one.numel()])[0] for one in self.tensors]}


def requests_of(job):
    """Header work: one range a shard of .npy, one a tensor of a raw twin."""
    if job["form"] == "npy":
        return [npy_request(i, os.path.join(job["folder"], name)) for i, name in enumerate(job["files"])]
    with open(os.path.join(job["folder"], "shard_meta.json"), encoding="utf-8") as file:
        ranges = json.load(file)["shards"]
    by_file = {}
    for entry in ranges:
        offsets, sizes = by_file.setdefault(entry["path"], ([], []))
        offsets.append(entry["offset"])
        sizes.append(entry["rows"] * job["row_bytes"])
    return [
        FileChunks(i, os.path.join(job["folder"], path), offsets, sizes)
        for i, (path, (offsets, sizes)) in enumerate(by_file.items())
    ]


def npy_request(number, path):
    with open(path, "rb") as file:
        head = file.read(12)
        wide = head[6] > 1
        offset = 12 + int.from_bytes(head[8:12], "little") if wide else 10 + int.from_bytes(head[8:10], "little")
        return FileChunks(number, path, [offset], [os.fstat(file.fileno()).st_size - offset])


if __name__ == "__main__":
    serve(RunaiStreamer())
