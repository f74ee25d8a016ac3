"""What the machine is (without host or user names), and whether it is idle enough to measure on."""

import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

from lib import places

IDLE_SECONDS = 5.0
IDLE_LIMIT = 0.05  # of one core, for any other process
FLAGS = ("avx2", "avx512f", "erms", "fsrm", "asimd", "sve", "hypervisor")


def note() -> dict[str, Any]:
    memory = keyed("/proc/meminfo")
    return {
        "cpu": cpu_model(),
        "flags": [flag for flag in FLAGS if flag in cpu_flags()],
        "cores": os.cpu_count() or 1,
        "caches": caches(),
        "memory_bytes": int(memory["MemTotal"].split()[0]) * 1024,
        "numa_nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1,
        "huge_pages": selected("/sys/kernel/mm/transparent_hugepage/enabled"),
        "free_pages_given_back": free_page_reporting(),
        "kernel": platform.release(),
        "virtualised": "hypervisor" in cpu_flags(),
        "file_system": file_system(places.data_folder()),
        "block_queue": block_queue(places.data_folder()),
        "python": platform.python_version(),
        "fio": "not run: C1 is compared with nothing else",
    }


def slug() -> str:
    """A short name of the machine for folders: CPU and cores, no host name."""
    words = "".join(c if c.isalnum() else " " for c in cpu_model().lower()).split()
    return "-".join([*words[:3], f"{os.cpu_count()}c"])


def keyed(path: str) -> dict[str, str]:
    """Lines of "key : value"; the first of each key."""
    found: dict[str, str] = {}
    for line in Path(path).read_text().splitlines():
        key, colon, value = line.partition(":")
        if colon:
            found.setdefault(key.strip(), value.strip())
    return found


def cpu_model() -> str:
    facts = keyed("/proc/cpuinfo")
    return facts.get("model name") or f"{platform.machine()} {facts.get('CPU part', '')}".strip()


def cpu_flags() -> list[str]:
    facts = keyed("/proc/cpuinfo")
    return (facts.get("flags") or facts.get("Features") or "").split()


def caches() -> dict[str, str]:
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if read(index / "type") != "Instruction":
            found[f"L{read(index / 'level')}"] = read(index / "size")
    return found


def read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return "unknown"


def selected(path: str) -> str:
    """The word in brackets."""
    text = read(Path(path))
    return text.partition("[")[2].partition("]")[0] or text


def free_page_reporting() -> dict[str, str]:
    """Whether, and after how long, this guest gives free memory back to its host, where the kernel tells."""
    settings = Path("/sys/module/page_reporting/parameters")
    names = ("page_reporting_order", "min_free_ms", "max_waiting_mib")
    return {name: read(settings / name) for name in names if (settings / name).exists()}


def existing(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def file_system(folder: Path) -> dict[str, str]:
    """Type and options of the mount with the longest matching path."""
    folder = existing(folder).resolve()
    best = ("", "unknown", "")
    for line in read(Path("/proc/self/mounts")).splitlines():
        _, where, kind, options = line.split()[:4]
        if (str(folder) + "/").startswith(where.rstrip("/") + "/") and len(where) >= len(best[0]):
            best = (where, kind, options)
    return {"type": best[1], "options": best[2]}


def block_queue(folder: Path) -> dict[str, str]:
    device = os.stat(existing(folder)).st_dev
    base = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    queue = base / "queue" if (base / "queue").exists() else base.resolve().parent / "queue"
    names = ("max_segments", "max_sectors_kb", "read_ahead_kb", "nr_requests", "rotational")
    return {name: read(queue / name) for name in names} | {"scheduler": selected(str(queue / "scheduler"))}


def commit() -> str:
    """The commit that is measured, with -dirty if the tree differs from it outside the results."""
    git = ["git", "-C", str(places.ROOT)]
    try:
        short = subprocess.run([*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run(
            [*git, "status", "--porcelain", "--", ".", ":!benchmarks/results", ":!README.md"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return short.stdout.strip() + ("-dirty" if changed.stdout.strip() else "")


# ---- is it idle? -----------------------------------------------------------------------------------------------------


def busy_processes(seconds: float = IDLE_SECONDS) -> list[str]:
    """Other processes above the limit during the next `seconds`, as text without arguments."""
    before = cpu_ticks()
    time.sleep(seconds)
    after = cpu_ticks()
    hertz = os.sysconf("SC_CLK_TCK")
    busy = []
    for pid, (name, ticks) in after.items():
        share = (ticks - before.get(pid, ("", 0))[1]) / hertz / seconds
        if pid != os.getpid() and share > IDLE_LIMIT:
            busy.append(f"{name} {share:.0%}")
    return sorted(busy)


def cpu_ticks() -> dict[int, tuple[str, int]]:
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            head, _, tail = (entry / "stat").read_text().rpartition(")")
        except OSError:
            continue  # ended meanwhile
        fields = tail.split()
        found[int(entry.name)] = (head.partition("(")[2], int(fields[11]) + int(fields[12]))
    return found
