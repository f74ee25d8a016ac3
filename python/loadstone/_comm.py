"""Which ranks take part in a call: the launcher's MPI stack, mpi4py communicators, this process alone."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any

from loadstone import _arguments as args
from loadstone import _core
from loadstone._core import Communicator, Fault

if TYPE_CHECKING:
    from loadstone._keywords import Comm

_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def choose_stack() -> None:
    """Makes an mpi4py that is imported later take the stack of the launcher that started this process.

    mpi4py's wheel takes Open MPI unless told otherwise, and asks for MPICH by a name that some distributions do not
    have; ours stands in for it there.
    """
    if _core.launcher() != "mpich" or "mpi4py.MPI" in sys.modules:
        return
    os.environ.setdefault("MPI4PY_MPIABI", "mpich")
    import ctypes

    for name in ["libmpi.so.12", *_stand_ins()]:
        try:
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            return
        except OSError:
            continue


def _stand_ins() -> list[str]:
    """Where a build or an install may have put our libmpi.so.12, seen from this package."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = (".", "loadstone", "../lib/loadstone", "../../../loadstone")
    candidates = (os.path.join(here, folder, "libmpi.so.12") for folder in folders)
    return [path for path in candidates if os.path.exists(path)]


def resolve(comm: Comm | None) -> Communicator:
    """Our communicator for what the user passed. Collective over it the first time."""
    if isinstance(comm, Communicator):
        return comm
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None:
        _check_stack(mpi)
    if comm is None:
        return _world()
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
    return _core.world_communicator()


def _wrap(mpi: Any, comm: Any) -> Communicator:
    unusable = None
    if not mpi.Is_initialized() or mpi.Is_finalized():
        unusable = "MPI is not initialised, or is finalised already"
    elif comm == mpi.COMM_NULL:
        unusable = "comm is MPI.COMM_NULL"
    elif comm.Is_inter():
        unusable = "comm is an intercommunicator"
    if unusable:
        remedy = "Pass an intracommunicator, such as MPI.COMM_WORLD, between MPI's initialisation and its end."
        _core.fail([Fault(code="bad_argument", kind="argument.value", message=unusable, remedy=remedy, item="comm")])
    return _core.wrap_mpi4py(mpi.Get_library_version(), mpi._addressof(comm), mpi._sizeof(comm))


def _check_stack(mpi: Any) -> None:
    """Ranks of another stack than their launcher's are jobs of one rank each: refused, on every rank."""
    launcher = _core.launcher()
    version = mpi.Get_library_version().splitlines()[0].strip(" \0")
    stack = next((key for key, name in _NAMES.items() if name.lower() in version.lower()), "")
    if launcher == "none" or stack == launcher:
        return
    message = (
        f"mpi4py uses {version}, but {_NAMES[launcher]} started this process as one of {_core.launched_ranks()} ranks; "
        "they cannot see each other"
    )
    remedy = f"Import loadstone before mpi4py, or start the program with the launcher of {_NAMES.get(stack, stack)}."
    _core.fail([Fault(code="comm", kind="comm.stack", message=message, remedy=remedy)])
