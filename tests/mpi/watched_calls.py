"""watched_calls.py MODULE RECORDER: what a module calls of MPI is noted by the recorder, or binds no other rank.

So no collective call can be new to the module and unseen by the tests of their order.
"""

import re
import subprocess
import sys

# What needs no other rank to take part, besides the recorder's own.
LOCAL = re.compile(
    r"MPI_(Cancel|Comm_(create_keyval|get_attr|rank|set_attr|set_errhandler|size|test_inter)|Error_(class|string)"
    r"|Finalized|Get_(count|library_version)|Initialized|Irecv|Isend)"
)


def names(library, *options):
    done = subprocess.run(["nm", "-D", *options, library], capture_output=True, text=True, check=True)
    return set(re.findall(r"\bP?MPI_\w+", done.stdout))


def main(module, recorder):
    called = names(module, "--undefined-only")
    noted = names(recorder, "--defined-only")
    unseen = [name for name in sorted(called - noted) if not LOCAL.fullmatch(name)]
    print(f"{len(called)} calls, {len(unseen)} neither noted nor local: {unseen}")
    return 1 if unseen or not called else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
