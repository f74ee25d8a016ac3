"""A load under a launcher, seen from outside: its processes, which of them is which rank, and what it leaves behind."""

import concurrent.futures
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import uuid

LOADSTONE = pathlib.Path(sys.executable).parent / "loadstone"
SHARED = pathlib.Path("/dev/shm")
PROC = pathlib.Path("/proc")
# Segments of the MPIs themselves. A kill at the wrong moment of their start leaves some of them.
OF_MPI = ("mpich_shar_tmp", "ucx_shm_posix_", "vader_segment.")
OF_LAUNCHER = ("ompi.", "openmpi-sessions")  # a session folder of Open MPI's own, which it may not come to remove
SIGN = "JOB_UNDER_TEST"  # every process of a job carries its own value of it in the environment
RANK_NAMES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")
QUIET = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_btl_base_warn_component_unused": "0",
}


def environment_of(pid):
    """Of a live process; empty for one that is gone."""
    try:
        text = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    return dict(word.split("=", 1) for word in text.decode(errors="replace").split("\0") if "=" in word)


def all_pids():
    return [int(name) for name in os.listdir(PROC) if name.isdigit()]


def until(condition, seconds):
    """Whether it came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class Job:
    """`loadstone load` on ranks of a launcher; `scratch` is a new folder, for temporary files and what it says."""

    def __init__(self, launcher, ranks, data, scratch, *options):
        self.ranks, self.data, self.scratch = ranks, pathlib.Path(data), pathlib.Path(scratch)
        self.temporary = self.scratch / "tmp"
        self.temporary.mkdir(parents=True)
        self.sign = uuid.uuid4().hex
        self.data_before = sorted(os.listdir(self.data))
        self.shared_before = set(os.listdir(SHARED))
        self.reading = set()  # ranks that were seen with a shard open: they have their communicator
        words = [*launcher, str(ranks), str(LOADSTONE), "load", str(data), *map(str, options)]
        environment = {**os.environ, **QUIET, "TMPDIR": str(self.temporary), SIGN: self.sign}
        with (self.scratch / "out").open("wb") as out, (self.scratch / "err").open("wb") as err:
            self.process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def said(self):
        return "\n".join((self.scratch / name).read_text(errors="replace") for name in ("out", "err"))

    def pids(self):
        """Of the launcher, its helpers and the ranks."""
        mine = f"{SIGN}={self.sign}".encode()
        found = []
        for pid in all_pids():
            with contextlib.suppress(OSError):
                if mine in (PROC / str(pid) / "environ").read_bytes():
                    found.append(pid)
        return found

    def rank_pids(self):
        """Rank -> process, of those that have begun and not ended."""
        found = {}
        for pid in self.pids():
            environment = environment_of(pid)
            rank = next((environment[name] for name in RANK_NAMES if name in environment), None)
            with contextlib.suppress(OSError):
                if rank is not None and os.readlink(PROC / str(pid) / "exe") == str(LOADSTONE.resolve()):
                    found[int(rank)] = pid
        return found

    def begin(self):
        """Waits until every rank has begun; returns them."""
        found = {}

        def complete():
            found.update(self.rank_pids())
            return len(found) == self.ranks or self.process.poll() is not None

        assert until(complete, 30), f"{len(found)} of {self.ranks} ranks in 30 s\n{self.said()}"
        return found

    def watch(self, pids, seconds):
        """Notes which ranks read, for so long or until the job has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            self.all_read(pids)
            time.sleep(0.002)

    def watch_until_all_read(self, pids):
        until(lambda: self.all_read(pids) or self.process.poll() is not None, 30)

    def all_read(self, pids):
        self.reading |= {rank for rank in pids.keys() - self.reading if has_open_below(pids[rank], self.data)}
        return pids.keys() <= self.reading

    def lives(self, pid):
        """Also while it is stopped, but not once it has ended and waits for its parent."""
        return environment_of(pid).get(SIGN) == self.sign

    def strike(self, pid, number):
        """A process may be gone before the signal comes."""
        if self.lives(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def is_gone(self):
        """Nothing lives; a launcher may hang by itself where a rank died before it was up."""
        if self.reading:
            return self.process.poll() is not None and not self.pids()
        return not self.rank_pids()

    def leftovers(self):
        """Files of ours in shared memory and in the temporary folder, and names of the data folder that are new or gone."""
        shared = [name for name in set(os.listdir(SHARED)) - self.shared_before if not name.startswith(OF_MPI)]
        temporary = []
        if self.process.poll() is not None:
            ours = [entry for entry in self.temporary.iterdir() if not entry.name.startswith(OF_LAUNCHER)]
            temporary = [path for entry in ours for path in (entry, *entry.rglob("*")) if path.is_file()]
        return [*shared, *map(str, temporary), *set(os.listdir(self.data)).symmetric_difference(self.data_before)]

    def assert_all_gone(self, seconds, told):
        end = time.monotonic() + seconds
        assert until(self.is_gone, seconds), f"{told}: alive after {seconds} s: {self.pids()}\n{self.said()}"
        until(lambda: not self.leftovers(), end - time.monotonic())
        left = self.leftovers()
        assert not left, f"{told}: left behind: {left}"

    def end(self):
        """Whatever happened: nothing of this job stays."""
        for pid in self.pids():
            self.strike(pid, signal.SIGKILL)
        self.process.wait()


def has_open_below(pid, folder):
    with contextlib.suppress(OSError):
        return any(os.readlink(entry.path).startswith(f"{folder}/") for entry in os.scandir(PROC / str(pid) / "fd"))
    return False


def undisturbed_seconds(launcher, ranks, data, scratch, *options):
    """From the moment at which all ranks live until all read, and from then on to the end of the job."""
    job = Job(launcher, ranks, data, scratch, *options)
    try:
        pids = job.begin()
        begin = time.monotonic()
        job.watch_until_all_read(pids)
        reading = time.monotonic()
        assert job.process.wait(60) == 0, job.said()
        end = time.monotonic()
        job.assert_all_gone(10, "undisturbed")
        return reading - begin, end - reading
    finally:
        job.end()


def attempts(wanted, at_once, attempt):
    """Outcomes of attempt(0), attempt(1), .. until so many are true; some moments fall before or after what they aim at."""
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        while sum(outcomes) < wanted and len(outcomes) < 4 * wanted:
            first = len(outcomes)
            outcomes += pool.map(attempt, range(first, first + wanted - sum(outcomes)))
    return outcomes
