"""Several ranks, under each MPI: one install, the launcher's stack, the same error everywhere."""

import os
import subprocess

import numpy as np
import pytest
from jobs import LOADSTONE, QUIET
from shards import write_shards

import loadstone

CUBE = np.arange(61 * 7, dtype="i4").reshape(61, 7)


@pytest.fixture(scope="module")
def cube(tmp_path_factory):
    return write_shards(tmp_path_factory.mktemp("ranks") / "cube", CUBE, (9, 0, 20, 1, 31))


LOAD = """
    import sys
    import loadstone
    x = loadstone.load(sys.argv[1], split=1)
    from mpi4py import MPI
    import numpy as np
    world = MPI.COMM_WORLD
    assert (x.comm.rank, x.comm.size) == (world.rank, world.size) == (world.rank, 3)
    whole = np.arange(61 * 7, dtype="i4").reshape(61, 7)
    (r0, r1), (c0, c1) = x.box
    assert np.array_equal(x.local, whole[r0:r1, c0:c1])
    assert sum(n for _, n in world.allgather(x.local_shape)) == 7 and x.local_shapes.shape == (3, 2)
    y = loadstone.load(sys.argv[1], comm=world)
    everywhere, on_two = y.gather(root=None), y.gather(root=2)
    assert np.array_equal(everywhere, whole) and (on_two is not None) == (world.rank == 2)
    assert y.total_stats().bytes_wanted == whole.nbytes and x.digest() == y.digest()
    try:
        np.asarray(y)
    except TypeError as error:
        assert "x.local" in str(error) and "gather" in str(error)
    else:
        raise AssertionError("a part converted silently")
    if world.rank == 0:
        print(len(repr(y)) > 0)
    backwards = world.Split(color=0, key=-world.rank)
    z = loadstone.load(sys.argv[1], comm=backwards)
    assert z.comm.rank == 2 - world.rank and z.stats.bytes_wanted > 0
    assert loadstone.load(sys.argv[1], comm=z.comm).box == z.box
    assert loadstone.load(sys.argv[1], comm=MPI.COMM_SELF).local_shape == (61, 7)
"""


def test_i10_loadstone_first_then_mpi4py(on_ranks, cube):
    on_ranks(3, LOAD, cube)


def test_i10_mpi4py_first_works_or_is_refused_on_every_rank(on_ranks, cube):
    on_ranks(
        2,
        """
        import os, sys
        from mpi4py import MPI
        import loadstone
        try:
            x = loadstone.load(sys.argv[1], comm=MPI.COMM_WORLD)
        except loadstone.Error as error:
            told = str(error).lower()
            assert error.code == "comm" and "open mpi" in told and "mpich" in told and "import loadstone" in told, told
            assert "PMI_SIZE" in os.environ and MPI.COMM_WORLD.size == 1
        else:
            assert (x.comm.rank, x.comm.size) == (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size) == (MPI.COMM_WORLD.rank, 2)
        """,
        cube,
    )


def test_without_mpi4py_the_world_is_the_launcher_s_and_ends_well(on_ranks, cube):
    on_ranks(
        2,
        """
        import sys
        import loadstone
        x = loadstone.load(sys.argv[1])
        assert x.comm.size == 2 and "mpi" in x.comm.description and "mpi4py" not in sys.modules
        """,
        cube,
    )


def test_a_wrong_argument_on_one_rank_is_raised_on_all(on_ranks, cube):
    on_ranks(
        3,
        """
        import sys
        import loadstone
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        for wrong in ({"split": "0"}, {"budget": "lots"}, {"rows": 3}, {"colour": "red"}):
            try:
                loadstone.load(sys.argv[1], comm=world, **(wrong if world.rank == 1 else {}))
            except loadstone.Error as error:
                told = [type(error).__name__, error.code, str(error), error.rank, [f.to_dict() for f in error.faults]]
                assert error.code == "bad_argument" and error.rank == 1, told
                assert world.allgather(told) == [told] * 3
            else:
                raise AssertionError(f"nothing was raised for {wrong}")
        assert loadstone.load(sys.argv[1], comm=world).shape == (61, 7)
        """,
        cube,
    )


def test_t30_ctrl_c_on_one_rank_is_keyboard_interrupt_on_all(on_ranks, sparse):
    on_ranks(
        2,
        """
        import signal, sys, time
        import loadstone
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank == 1:
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            signal.setitimer(signal.ITIMER_REAL, 0.5)
        begin = time.monotonic()
        try:
            loadstone.verify(sys.argv[1], comm=world, write_manifest=True)
        except KeyboardInterrupt as error:
            assert error.code == "cancelled"
        else:
            raise AssertionError("nothing was raised")
        assert time.monotonic() - begin < 20
        assert world.allreduce(1) == 2
        """,
        sparse,
    )


def test_i6_an_mpi_that_allows_one_thread_is_called_from_that_thread(on_ranks, cube, sparse):
    on_ranks(
        2,
        """
        import signal, sys
        import loadstone
        import mpi4py
        mpi4py.rc.thread_level = "funneled"
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        x = loadstone.load(sys.argv[1], split=1)
        assert loadstone._comm.run_on(x.comm) is loadstone._core.RunOn.calling_thread or MPI.Query_thread() > 1
        assert x.gather(root=None).shape == (61, 7)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            loadstone.verify(sys.argv[2], comm=world, write_manifest=True)
        except KeyboardInterrupt:
            world.barrier()
        else:
            raise AssertionError("nothing was raised")
        """,
        cube,
        sparse,
    )


@pytest.mark.parametrize("which, code", [("COMM_NULL", "bad_argument"), ("finalised", "comm")])
def test_communicators_that_are_none(python, cube, which, code):
    pytest.importorskip("mpi4py")
    python(
        """
        import sys
        import loadstone
        from mpi4py import MPI
        comm = MPI.COMM_NULL
        if sys.argv[2] == "finalised":
            comm = MPI.COMM_WORLD
            MPI.Finalize()
        try:
            loadstone.load(sys.argv[1], comm=comm)
        except loadstone.Error as error:
            assert error.code == sys.argv[3], error
        else:
            raise AssertionError("nothing was raised")
        """,
        cube,
        which,
        code,
    )


def test_a_plain_process_is_alone(cube):
    assert (loadstone.load(cube).comm.size, loadstone.self_communicator().size) == (1, 1)


def test_an_unknown_variable_on_one_rank_is_a_fault_of_all_if_strict(launcher, run42):
    script = '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || export LOADSTONE_BUDGT=1; exec "$@"'
    command = [LOADSTONE, "load", run42, "--strict", "--deadline", "20"]
    words = [*launcher, "3", "sh", "-c", script, "sh", *map(str, command)]
    done = subprocess.run(words, env={**os.environ, **QUIET}, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2, done.stderr
    assert "environment.unknown" in done.stderr and "rank 1" in done.stderr
