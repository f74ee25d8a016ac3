"""The protocol of contenders (see protocol.hpp) for those in Python: subclass, then `serve(YourContender())`."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.digest import Digests
from lib.parts import even as even


class Contender:
    """`prepare` before the clock, `run` inside, `digest` after it. A report is {"stages": {}, "counts": {}}."""

    def prepare(self, job):
        self.digests = Digests(job["digest_library"])

    def run(self, job):
        raise NotImplementedError

    def digest(self, job):
        raise NotImplementedError

    def pieces(self, job, arrays):
        """Digests of the pieces of NumPy arrays that together are the result."""
        sizes = iter(job["pieces"])
        values = []
        for array in arrays:
            if not (array.flags.c_contiguous and array.flags.writeable):
                raise ValueError("the result is not one dense, writable array")
            mine, left = [], array.nbytes
            while left > 0:
                mine.append(next(sizes))
                left -= mine[-1]
            values += self.digests.of_pieces(array.ctypes.data, mine)
        return {"pieces": values}


def say(word, value=None):
    print(word if value is None else f"{word} {json.dumps(value)}", flush=True)


def serve(contender):
    try:
        job = json.loads(sys.stdin.readline())
        contender.prepare(job)
        say("ready")
        for line in sys.stdin:
            if line == "go\n":
                say("done", contender.run(job) or {})
            elif line == "digest\n":
                say("digest", contender.digest(job))
            else:
                break
    except Exception as error:
        print(f"failed {type(error).__name__}: {error}".replace("\n", " "), flush=True)
        sys.exit(1)


now = time.perf_counter
