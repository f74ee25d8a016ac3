"""A contender as the harness sees it: a process that is told its job, waits for `go`, and is watched from outside."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class Failed(Exception):
    """It said so, died, or did not answer in time."""


class Cheated(Exception):
    """It held a data file open or mapped before `go` (BM-1)."""


@dataclass
class Measured:
    """Raw figures of one run; seconds by the harness's clock."""

    start_s: float = 0.0
    total_s: float = 0.0
    cpu_s: float = 0.0
    read_bytes: int = 0
    base_bytes: int = 0
    peak_bytes: int = 0
    stages: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


class Process:
    """Started at once; `ready`, `go`, `digest`, `close` in that order. Ends with the object's `with` block."""

    def __init__(self, command: list[str], job: dict[str, Any], environment: dict[str, str], limit_s: float) -> None:
        self._limit_s = limit_s
        self._kept = b""
        self._ranks: list[int] = []  # those of several tell their processes; else it is the child itself
        self._started = time.perf_counter()
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        os.set_blocking(self._child.stdout.fileno(), False)
        self._say(json.dumps(job))

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        if self._child.poll() is None:
            os.killpg(self._child.pid, signal.SIGKILL)
            for pid in self._ranks:  # a launcher gives ranks a group of their own
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            pipe.close()

    @property
    def pid(self) -> int:
        return self._child.pid

    def ready(self, data_folder: str) -> float:
        """Waits until it is; seconds since the start. Looks through what it has open and mapped."""
        ranks = self._hear("ready")
        started = time.perf_counter() - self._started
        self._ranks = json.loads(ranks) if ranks else [self.pid]
        held = [path for pid in self._ranks for path in held_below(pid, data_folder)]
        if held:
            raise Cheated(f"held before go: {held[0]}")
        return started

    def go(self) -> Measured:
        """The timed run."""
        bases = [reset_peak(pid) for pid in self._ranks]
        measured = Measured()
        cpu = sum(map(cpu_seconds, self._ranks))
        read = sum(map(read_bytes, self._ranks))
        start = time.perf_counter()
        self._say("go")
        told = self._hear("done")
        measured.total_s = time.perf_counter() - start
        measured.cpu_s = sum(map(cpu_seconds, self._ranks)) - cpu
        measured.read_bytes = sum(map(read_bytes, self._ranks)) - read
        peaks = [status_bytes(pid, "VmHWM") for pid in self._ranks]
        measured.base_bytes, measured.peak_bytes = max(
            zip(bases, peaks, strict=True), key=lambda rank: rank[1] - rank[0]
        )
        report = json.loads(told or "{}")
        measured.stages = report.get("stages", {})
        measured.counts = report.get("counts", {})
        return measured

    def digest(self) -> dict[str, Any]:
        self._say("digest")
        return dict(json.loads(self._hear("digest")))

    def close(self) -> None:
        self._say("exit")
        try:
            self._child.wait(self._limit_s)
        except subprocess.TimeoutExpired:
            raise Failed("did not exit") from None

    def _say(self, line: str) -> None:
        try:
            self._child.stdin.write(line.encode() + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            raise Failed(self._last_words("ended early")) from None

    def _hear(self, word: str) -> str:
        """The rest of the next line, which must start with `word`."""
        line = self._line(time.monotonic() + self._limit_s)
        first, _, rest = line.partition(" ")
        if first != word:
            raise Failed(rest if first == "failed" else f"said {line[:200]!r} instead of {word}")
        return rest

    def _line(self, deadline: float) -> str:
        output = self._child.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while b"\n" not in self._kept:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise Failed(f"no answer in {self._limit_s:.0f} s")
                more = output.read(1 << 20)
                if not more:
                    raise Failed(self._last_words("ended early"))
                self._kept += more
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode()

    def _last_words(self, what: str) -> str:
        code = self._child.wait(10)
        lines = self._child.stderr.read().decode(errors="replace").strip().splitlines()
        return f"{what} (exit {code}){': ' + lines[-1] if lines else ''}"


# ---- looking in from outside -----------------------------------------------------------------------------------------


def held_below(pid: int, folder: str) -> list[str]:
    """Files below the folder that a process has open or mapped."""
    held = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            held.append(os.readlink(entry))
        except OSError:
            continue  # closed meanwhile
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    held += [line.split(maxsplit=5)[5] for line in maps if line.count("/")]
    return [path for path in held if path.startswith(folder)]


def reset_peak(pid: int) -> int:
    """Makes VmHWM start anew; the resident bytes it starts from."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return status_bytes(pid, "VmRSS")


def status_bytes(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise Failed(f"/proc/{pid}/status has no {name}")


def cpu_seconds(pid: int) -> float:
    """CPU time of all threads of a process, ended ones too, to the nanosecond (the kernel's CPU clock of a process)."""
    return time.clock_gettime(((~pid) << 3) | 2)


def read_bytes(pid: int) -> int:
    """What the process caused to be read from storage."""
    for line in Path(f"/proc/{pid}/io").read_text().splitlines():
        if line.startswith("read_bytes:"):
            return int(line.split()[1])
    return 0
