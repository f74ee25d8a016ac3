"""Loadstone from Python: load, stream or open as any program would call them."""

import numpy

import loadstone
from protocol import Contender, serve


class Loadstone(Contender):
    def prepare(self, job):
        super().prepare(job)
        if job["destination"] == "present":
            raise ValueError("load() has no argument for memory that is already there")
        self.io = {f"io_{name}": value for name, value in job["options"].items()}

    def run(self, job):
        if job["action"] == "scan":
            self.dataset = loadstone.open(job["folder"])
            return {}
        if job["action"] == "stream":
            return self.stream(job)
        self.array = loadstone.load(job["folder"], **self.io)
        self.tile = self.array.local
        return report(self.array.stats)

    def stream(self, job):
        """One batch of half the cap at a time, and a quarter of it as budget."""
        self.whole = self.digests.stream()
        rows = max(1, job["cap_bytes"] // 2 // job["row_bytes"])
        with loadstone.stream(job["folder"], batch_rows=rows, budget=job["cap_bytes"] // 4, **self.io) as batches:
            for batch in batches:
                self.whole.add(batch.ctypes.data, batch.nbytes)
                del batch
        return {}

    def digest(self, job):
        if job["action"] == "scan":
            rows = ",".join(str(shard.rows) for shard in self.dataset.shards)
            return {"scan": f"{numpy.dtype(self.dataset.dtype).name} {rows}"}
        if job["action"] == "stream":
            return {"whole": self.whole.take()}
        return self.pieces(job, [self.tile])


def report(stats):
    counts = {
        "bytes_wanted": stats.bytes_wanted,
        "bytes_read": stats.bytes_read,
        "bytes_in_place": stats.bytes_in_place,
        "bytes_staged": stats.bytes_staged,
        "requests": stats.requests,
        "opens": stats.opens,
        "budget_peak": stats.peak_bytes,
    }
    counts |= {f"way_{way}": size for way, size in stats.bytes_by_way.items()}
    return {"stages": dict(stats.seconds_by_step), "counts": counts}


if __name__ == "__main__":
    serve(Loadstone())
