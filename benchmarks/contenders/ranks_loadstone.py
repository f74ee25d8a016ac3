"""Loadstone on ranks: one collective load, split along an axis."""

import loadstone
from loadstone_python import report
from ranks import WORLD, RanksContender, serve_ranks

KEYWORDS = {"backend": str, "direct": str, "mapped": str, "request": int, "depth": int, "budget": int}
NAMES = {"request": "io_request_bytes", "budget": "budget"}


class RanksLoadstone(RanksContender):
    def prepare(self, job):
        super().prepare(job)
        options = job["options"].items()
        self.settings = {NAMES.get(name, f"io_{name}"): KEYWORDS[name](v) for name, v in options if name in KEYWORDS}

    def run(self, job):
        self.array = loadstone.load(job["folder"], split=job["axis"], comm=WORLD, **self.settings)
        self.part = self.array.local
        return report(self.array.stats)


if __name__ == "__main__":
    serve_ranks(RanksLoadstone())
