"""T27: one rank stopped at random moments of a load. The others end soon after the deadline and name it."""

import dataclasses
import os
import random
import re
import signal

from jobs import Job, attempts, undisturbed_seconds, until

MOMENTS = int(os.environ.get("LOADSTONE_STOP_MOMENTS", "6"))  # over both launchers
SEED = int(os.environ.get("LOADSTONE_TEST_SEED") or random.randrange(2**32))
RANKS = 4
DEADLINE = 2
GRACE_SECONDS = 5
ALL_GONE_SECONDS = 10
AT_ONCE = 2
# Of the stops: anywhere, also before the ranks have their communicator; the others while they read.
ANY_MOMENT_SHARE = 0.2


def missing_is_named(text, victim):
    """By those that waited; rank 0, which tells the error, may be the one that is stopped.

    Ranks that come more than two seconds after the first are named beside it (docs/reliability.md, not settled).
    """
    named = re.search(rf"no sign of life from ranks? [\d, ]*\b{victim}\b", text)
    told = victim == 0 or "[comm.deadline]" in text or re.search(r"from ranks? 0\b", text)
    return bool(named and told and f"no answer for {DEADLINE} s in phase " in text)


@dataclasses.dataclass
class Stop:
    victim: int
    from_reading: bool  # the moment counts from when all others read, else from when they live
    moment: float
    rest: float  # the others read on for so long, or so, before they wait for it

    @classmethod
    def draw(cls, rng, until_reading, reading):
        from_reading = rng.random() > ANY_MOMENT_SHARE
        seconds = reading if from_reading else until_reading + reading
        moment = rng.uniform(0, seconds)
        return cls(rng.randrange(RANKS), from_reading, moment, seconds - moment)


def carry_out(stop, launcher, data, scratch, options):
    """Whether it was named. It need not be if it stopped before all others had their communicator, or after the load."""
    job = Job(launcher, RANKS, data, scratch, "--deadline", DEADLINE, *options)
    told = f"LOADSTONE_TEST_SEED={SEED}: {stop}"
    try:
        pids = job.begin()
        stopped = pids.pop(stop.victim, 0)
        if stop.from_reading:
            job.watch_until_all_read(pids)
        job.watch(pids, stop.moment)
        job.strike(stopped, signal.SIGSTOP)
        rest = AT_ONCE * stop.rest  # of a load alone; others share its cores
        ended = until(lambda: not any(map(job.lives, pids.values())), rest + DEADLINE + GRACE_SECONDS)
        text = job.said()
        job.strike(stopped, signal.SIGKILL)
        job.assert_all_gone(ALL_GONE_SECONDS, told)
        if not missing_is_named(text, stop.victim):
            early = not pids.keys() <= job.reading
            assert early or "loaded as" in text, f"{told}: not named\n{text}"
            return False
        assert ended, f"{told}: named, but alive {DEADLINE + GRACE_SECONDS} s after their wait began\n{text}"
        return True
    finally:
        job.end()


def test_t27_a_stopped_rank_is_named_soon_after_the_deadline(launcher, long_load, tmp_path, capsys):
    data, options = long_load
    until_reading, reading = undisturbed_seconds(launcher, RANKS, data, tmp_path / "undisturbed", *options)

    def attempt(number):
        stop = Stop.draw(random.Random(f"{SEED} {launcher[0]} {number}"), until_reading, reading)
        return carry_out(stop, launcher, data, tmp_path / str(number), options)

    outcomes = attempts(MOMENTS // 2, AT_ONCE, attempt)
    with capsys.disabled():
        print(f"\n{launcher[0]}: {sum(outcomes)} of {len(outcomes)} stops were named, LOADSTONE_TEST_SEED={SEED}")
    assert sum(outcomes) >= MOMENTS // 2
