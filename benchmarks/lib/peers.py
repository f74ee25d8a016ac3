"""Peers: pinned in contenders/peers.lock; each is present, absent, or says why it does not import. Never silent."""

import subprocess
import sys
from dataclasses import asdict, dataclass

from lib import places

LOCK = places.BENCHMARKS / "contenders/peers.lock"


@dataclass(frozen=True)
class Peer:
    name: str
    wanted: str
    module: str
    reads: str


@dataclass(frozen=True)
class Found:
    name: str
    wanted: str
    state: str
    reads: str


def pinned() -> list[Peer]:
    lines = [line for line in LOCK.read_text().splitlines() if line and not line.startswith("#")]
    return [Peer(*line.split(maxsplit=3)) for line in lines]


def state_of(peer: Peer) -> str:
    """Tries the project's environment, then that of the peers."""
    pythons = [python for python in (places.PYTHON, places.PEER_PYTHON) if python.exists()]
    answers = [ask(str(python), peer) for python in pythons]
    return next((a for a in answers if a != "absent"), "absent")


def ask(python: str, peer: Peer) -> str:
    source = (
        "import importlib, importlib.metadata as m, importlib.util as u\n"
        f"if u.find_spec({peer.module!r}) is None: print('absent'); raise SystemExit\n"
        "try:\n"
        f"  importlib.import_module({peer.module!r}); print('present,', m.version({peer.name!r}))\n"
        "except BaseException as error:\n"
        "  print('does not import:', type(error).__name__, str(error).splitlines()[0] if str(error) else '')\n"
    )
    done = subprocess.run([python, "-c", source], capture_output=True, text=True, timeout=120, check=False)
    return done.stdout.strip() or f"does not import: exit {done.returncode}"


def look() -> list[dict[str, str]]:
    return [asdict(Found(peer.name, peer.wanted, state_of(peer), peer.reads)) for peer in pinned()]


def install() -> None:
    """Puts the pinned wheels into an environment of their own, one by one: one that fails leaves the others."""
    if not places.PEER_PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(places.PEER_PYTHON.parents[1])], check=True)
    for peer in pinned():
        wanted = f"{peer.name}=={peer.wanted}"
        command = [str(places.PEER_PYTHON), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wanted]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        last = done.stderr.strip().splitlines()
        print(f"{wanted}: {'installed' if done.returncode == 0 else 'not installed: ' + (last[-1] if last else '?')}")
