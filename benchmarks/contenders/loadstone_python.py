"""Loadstone from Python: load, stream or open as any program would call them."""

import numpy

import loadstone
from protocol import Contender, now, serve


class Loadstone(Contender):
    def prepare(self, job):
        super().prepare(job)
        self.out = memory_for(job) if job["destination"] == "present" else None
        self.io = {f"io_{name}": value for name, value in job["options"].items()}

    def run(self, job):
        if job["action"] == "scan":
            self.dataset = loadstone.open(job["folder"])
            return {}
        if job["action"] == "stream":
            return self.stream(job)
        if job["action"] == "twice":
            return self.twice(job)
        self.array = loadstone.load(job["folder"], out=self.out, **self.io)
        self.tile = self.array.local
        return report(self.array.stats)

    def twice(self, job):
        """One load after the other in one context; the first result is gone before the second is made."""
        context = loadstone.Context()
        start = now()
        self.array = loadstone.load(job["folder"], context=context, **self.io)
        middle = now()
        del self.array
        again = now()
        self.array = loadstone.load(job["folder"], context=context, **self.io)
        end = now()
        self.tile = self.array.local
        return {
            "stages": {"first": middle - start, "second": end - again},
            "counts": report(self.array.stats)["counts"],
        }

    def stream(self, job):
        """Batches of an eighth of the cap, and the rest of it as budget: several are read while one is used."""
        self.whole = self.digests.stream()
        eighth = job["cap_bytes"] // 8
        rows = max(1, eighth // job["row_bytes"])
        with loadstone.stream(job["folder"], batch_rows=rows, budget=7 * eighth, **self.io) as batches:
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


def memory_for(job):
    """An array for all of the result, whose pages are there."""
    dtype = numpy.dtype(job["dtype"])
    return numpy.ones(job["bytes"], "u1").view(dtype).reshape(-1, job["row_bytes"] // dtype.itemsize)


def report(stats):
    counts = {
        "bytes_wanted": stats.bytes_wanted,
        "bytes_read": stats.bytes_read,
        "bytes_in_place": stats.bytes_in_place,
        "bytes_staged": stats.bytes_staged,
        "requests": stats.requests,
        "opens": stats.opens,
        "budget_peak": stats.peak_bytes,
        "staging_bytes_new": stats.staging_bytes_new,
    }
    counts |= {f"way_{way}": size for way, size in stats.bytes_by_way.items()}
    return {"stages": dict(stats.seconds_by_step), "counts": counts}


if __name__ == "__main__":
    serve(Loadstone())
