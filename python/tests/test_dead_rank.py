"""T26: ranks killed at random moments of a load. The job ends, and nothing of it outlives it."""

import os
import random
import signal

from jobs import Job, attempts, undisturbed_seconds

MOMENTS = int(os.environ.get("LOADSTONE_KILL_MOMENTS", "20"))  # over both launchers
SEED = int(os.environ.get("LOADSTONE_TEST_SEED") or random.randrange(2**32))
RANKS = 4
ALL_GONE_SECONDS = 10
AT_ONCE = 4
ALL_RANKS_SHARE = 0.25  # of the moments at which all ranks are killed, not one


def kill_at(moment, victims, launcher, data, scratch, options):
    """Whether the job failed of it: it may have been done before."""
    job = Job(launcher, RANKS, data, scratch, *options)
    told = f"LOADSTONE_TEST_SEED={SEED}: ranks {victims} killed at {moment:.3f} s"
    try:
        pids = job.begin()
        job.watch(pids, moment)
        for rank in pids.keys() & set(victims):
            job.strike(pids[rank], signal.SIGKILL)
        job.assert_all_gone(ALL_GONE_SECONDS, told)
        done = "loaded as" in job.said()
        assert done or job.process.returncode != 0, f"{told}: the launcher calls it a success\n{job.said()}"
        return not done
    finally:
        job.end()


def test_t26_killed_ranks_leave_nothing(launcher, long_load, tmp_path, capsys):
    data, options = long_load
    seconds = sum(undisturbed_seconds(launcher, RANKS, data, tmp_path / "undisturbed", *options))

    def attempt(number):
        rng = random.Random(f"{SEED} {launcher[0]} {number}")
        victims = range(RANKS) if rng.random() < ALL_RANKS_SHARE else [rng.randrange(RANKS)]
        return kill_at(rng.uniform(0, seconds), list(victims), launcher, data, tmp_path / str(number), options)

    outcomes = attempts(MOMENTS // 2, AT_ONCE, attempt)
    with capsys.disabled():
        print(f"\n{launcher[0]}: {sum(outcomes)} of {len(outcomes)} moments ended a load, LOADSTONE_TEST_SEED={SEED}")
    assert sum(outcomes) >= MOMENTS // 2
