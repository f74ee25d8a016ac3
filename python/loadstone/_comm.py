"""Which ranks take part in a call: the launcher's MPI stack, mpi4py communicators, this process alone."""

from __future__ import annotations

import functools
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from loadstone import _arguments as args
from loadstone import _core
from loadstone._core import Communicator

if TYPE_CHECKING:
    from loadstone._keywords import Comm


def choose_stack() -> None:
    """Makes an mpi4py that is imported later take the stack of the launcher that started this process.

    mpi4py's wheel takes Open MPI unless told otherwise, and asks for MPICH by a name that some distributions do not
    have; an empty library of ours, which needs theirs, stands in for it there.
    """
    if _core.launcher() != "mpich" or "mpi4py.MPI" in sys.modules:
        return
    os.environ.setdefault("MPI4PY_MPIABI", "mpich")
    import ctypes

    for name in ("libmpi.so.12", _core.find_beside("libmpi.so.12")):
        if name is not None:
            try:
                ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
                return
            except OSError:
                continue


def resolve(comm: Comm | None) -> Communicator:
    """Our communicator for what the user passed. Collective over it the first time."""
    if comm is None:
        return _world()
    if isinstance(comm, Communicator):
        return comm
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Comm):
        try:
            args.wrong_type("comm", "an mpi4py communicator, a loadstone.Communicator or None", comm)
        except args.Wrong as wrong:
            _core.fail([wrong.fault])
    return _wrap(mpi, comm)


def run_on(comm: Communicator) -> _core.RunOn:
    """A thread of its own for long calls, so that Ctrl-C is seen at once; unless MPI allows no second thread."""
    mpi = sys.modules.get("mpi4py.MPI")
    if comm.size == 1 or mpi is None or mpi.Query_thread() >= mpi.THREAD_SERIALIZED:
        return _core.RunOn.own_thread
    return _core.RunOn.calling_thread


@functools.cache
def _world() -> Communicator:
    """The ranks that the launcher started. An mpi4py of another stack is refused here as if it had been passed."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None and mpi.Is_initialized() and _core.launched_ranks() > 1:
        return _wrap(mpi, mpi.COMM_WORLD)
    return _core.world_communicator()


def _wrap(mpi: ModuleType, comm: object) -> Communicator:
    return _core.wrap_mpi4py(mpi.Get_library_version(), mpi._addressof(comm), mpi._sizeof(comm))
