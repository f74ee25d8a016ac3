"""Loadstone loads sharded arrays in parallel into distributed memory, within a memory budget you set.

    import loadstone

    x = loadstone.load("run42/shard_*.npy", split=0)   # every rank gets its rows
    x.local                                            # this rank's tile: a NumPy array
    x.shape, x.dtype, x.box                            # of the whole, and where the tile lies in it

Under an MPI launcher, import it before mpi4py: it makes mpi4py take the launcher's MPI.
"""

from loadstone import _comm
from loadstone._array import DistributedArray
from loadstone._calls import clean, load, open, plan, stream, verify, write
from loadstone._context import Context
from loadstone._core import (
    Capability,
    CleanReport,
    Communicator,
    Dataset,
    Fault,
    FileStats,
    LoadStats,
    Progress,
    Setting,
    Shard,
    VerifyReport,
    WriteReport,
    WrittenShard,
    backends,
    communicators,
    self_communicator,
    settings,
    version,
)
from loadstone._core import known_formats as formats
from loadstone._errors import (
    ArgumentError,
    ArgumentTypeError,
    BudgetError,
    ContentError,
    DeadlineError,
    Error,
    Interrupted,
    MismatchError,
    NotFoundError,
    StorageError,
)
from loadstone._layout import Distribution, Mesh
from loadstone._plan import Plan
from loadstone._stream import BatchStream

__version__ = version()

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BatchStream",
    "BudgetError",
    "Capability",
    "CleanReport",
    "Communicator",
    "ContentError",
    "Context",
    "Dataset",
    "DeadlineError",
    "DistributedArray",
    "Distribution",
    "Error",
    "Fault",
    "FileStats",
    "Interrupted",
    "LoadStats",
    "Mesh",
    "MismatchError",
    "NotFoundError",
    "Plan",
    "Progress",
    "Setting",
    "Shard",
    "StorageError",
    "VerifyReport",
    "WriteReport",
    "WrittenShard",
    "__version__",
    "backends",
    "clean",
    "communicators",
    "formats",
    "load",
    "open",
    "plan",
    "self_communicator",
    "settings",
    "stream",
    "verify",
    "version",
    "write",
]

_comm.choose_stack()
