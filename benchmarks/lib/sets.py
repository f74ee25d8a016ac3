"""The data sets: fixed seed, random bytes, three copies each, digests beside them. Sizes scale, structure stays.

C and G are .npy. A, B and M have the layout of their safetensors files (a header, then tensors one after the other at
unaligned offsets), but zeros for a header and a sidecar that names the ranges: *raw twins*, read today.
"""

import contextlib
import ctypes
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lib import places
from lib.digest import Digests

MIB = 2**20
VERSION = 1  # of the recipes below: another number makes the sets anew
BLOCK = 8 * MIB


@dataclass(frozen=True)
class DataSet:
    """What `set.json` holds. `pieces` are what gets a digest each: the shards of an array, the tensors of a twin."""

    name: str
    title: str
    form: str
    folder: str
    files: list[str]
    file_bytes: int
    bytes: int
    row_bytes: int
    dtype: str
    rows: list[int]
    pieces: list[int]
    digests: list[str]
    whole: str
    copies: int
    scale: float
    version: int = VERSION

    def copy(self, number: int) -> Path:
        return Path(self.folder) / f"copy{number % self.copies}"

    def paths(self, number: int) -> list[str]:
        return [str(self.copy(number) / name) for name in self.files]


@dataclass
class Recipe:
    """Files of a set: what stands before the payload of each, and the sizes of the pieces of its payload."""

    title: str
    form: str
    row_bytes: int
    dtype: str
    files: dict[str, tuple[bytes, list[int]]]
    copies: int = 3
    extra: dict[str, bytes] = field(default_factory=dict)


# ---- the recipes -----------------------------------------------------------------------------------------------------


def npy_header(descr: str, shape: tuple[int, ...]) -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    length = -(-(10 + len(text) + 1) // 64) * 64 - 10
    return b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text.ljust(length - 1).encode() + b"\n"


def uneven(total: int, parts: int, seed: int) -> list[int]:
    """Row counts that sum to `total`, from half to one and a half of the even share."""
    chooser = random.Random(seed)
    weights = [0.5 + chooser.random() for _ in range(parts)]
    ends = [round(total * sum(weights[: i + 1]) / sum(weights)) for i in range(parts)]
    return [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def array_c(scale: float) -> Recipe:
    rows = uneven(max(16, int(2048 * MIB * scale) // 2048), 16, seed=3)
    files = {f"shard_{i:04}.npy": (npy_header("<f4", (n, 512)), [n * 2048]) for i, n in enumerate(rows)}
    return Recipe("npy, 16 shards of uneven rows, f4 [n, 512]", "npy", 2048, "float32", files)


def array_g(scale: float) -> Recipe:
    files = {f"row_{i:05}.npy": (npy_header("<f4", (1, 256)), [1024]) for i in range(10_000)}
    return Recipe("npy, 10,000 files of 1 row, f4 [1, 256]", "npy", 1024, "float32", files)


def twin(title: str, sizes: list[list[int]], copies: int) -> Recipe:
    """Safetensors' layout: 8 bytes and a header of about 90 bytes a tensor, then the tensors without gaps."""
    files: dict[str, tuple[bytes, list[int]]] = {}
    shards = []
    for number, tensors in enumerate(sizes):
        name = f"model-{number + 1:05}-of-{len(sizes):05}.bin"
        header = bytes(8 + 90 * len(tensors) + 13)
        files[name] = (header, tensors)
        at = len(header)
        for size in tensors:
            shards.append({"path": name, "offset": at, "rows": size})
            at += size
    sidecar = json.dumps({"dtype": "|u1", "trailing_shape": [], "shards": shards}).encode()
    return Recipe(title, "raw", 1, "uint8", files, copies, {"shard_meta.json": sidecar})


def twin_a(scale: float) -> Recipe:
    tensor = max(4096, int(64 * MIB * scale))
    return twin("raw twin of safetensors, 4 files of 8 tensors of 64 MiB", [[tensor] * 8] * 4, 3)


def twin_b(scale: float) -> Recipe:
    """Sizes from 4 KiB to 1 MiB, evenly spread by their logarithm, scaled to a sum of 1 GiB."""
    chooser = random.Random(2)
    wanted = [4096 * 256 ** chooser.random() for _ in range(10_000)]
    factor = 1024 * MIB * scale / sum(wanted)
    return twin(
        "raw twin of safetensors, 10,000 tensors of 4 KiB to 1 MiB", [[max(1, int(w * factor)) for w in wanted]], 3
    )


def twin_m(scale: float) -> Recipe:
    return twin("raw twin of safetensors, 200,000 tensors of 4 KiB", [[max(1, int(4096 * scale))] * 200_000], 1)


RECIPES: dict[str, Callable[[float], Recipe]] = {
    "A": twin_a,
    "B": twin_b,
    "C": array_c,
    "G": array_g,
    "M": twin_m,
}


# ---- making them -----------------------------------------------------------------------------------------------------


def load_set(name: str, scale: float) -> DataSet | None:
    """What was made before, if it is whole; no byte is read."""
    folder = places.data_folder() / f"scale-{scale:g}" / name
    try:
        known = DataSet(**json.loads((folder / "set.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None
    if known.version != VERSION or known.folder != str(folder):
        return None
    sizes = [sum(os.path.getsize(p) for p in known.paths(copy) if os.path.exists(p)) for copy in range(known.copies)]
    return known if all(size == known.file_bytes for size in sizes) else None


def make_set(name: str, scale: float) -> DataSet:
    """The set, made if it is not there. Prints what it makes."""
    known = load_set(name, scale)
    if known is not None:
        return known
    folder = places.data_folder() / f"scale-{scale:g}" / name
    shutil.rmtree(folder, ignore_errors=True)
    recipe = RECIPES[name](scale)
    print(f"bench: making data set {name} at scale {scale:g}: {recipe.title}", flush=True)
    made = write_set(name, folder, recipe, scale)
    (folder / "set.json").write_text(json.dumps(asdict(made)))
    return made


def write_set(name: str, folder: Path, recipe: Recipe, scale: float) -> DataSet:
    copies = [folder / f"copy{i}" for i in range(recipe.copies)]
    for copy in copies:
        copy.mkdir(parents=True)
        for extra, text in recipe.extra.items():
            (copy / extra).write_bytes(text)
    digests = Digests(places.DIGEST_LIBRARY)
    whole = digests.stream()
    pieces: list[str] = []
    file_bytes = 0
    for number, (file, (header, sizes)) in enumerate(recipe.files.items()):
        body = PieceDigests(digests, sizes)
        with contextlib.ExitStack() as stack:
            outputs = [stack.enter_context(open(copy / file, "wb")) for copy in copies]
            for output in outputs:
                output.write(header)
            for block in random_blocks(f"{name} {number}", sum(sizes)):
                whole.add_bytes(block)
                body.add(block)
                for output in outputs:
                    output.write(block)
        pieces += body.done
        file_bytes += len(header) + sum(sizes)
    write_back(folder)
    counts = [sum(sizes) // recipe.row_bytes for _, sizes in recipe.files.values()]
    tensors = [size for _, sizes in recipe.files.values() for size in sizes]
    return DataSet(
        name, recipe.title, recipe.form, str(folder), list(recipe.files), file_bytes, sum(tensors), recipe.row_bytes,
        recipe.dtype, counts, tensors, pieces, whole.take(), recipe.copies, scale,
    )  # fmt: skip


def write_back(folder: Path) -> None:
    """Has the file system write what it holds: pages that are not written yet cannot be dropped later."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor) != 0:
            raise OSError(ctypes.get_errno(), "syncfs", str(folder))
    finally:
        os.close(descriptor)


class PieceDigests:
    """Digests of pieces, fed with blocks that do not end where pieces do."""

    def __init__(self, digests: Digests, sizes: list[int]) -> None:
        self.done: list[str] = []
        self._digests = digests
        self._sizes = iter(sizes)
        self._kept = bytearray()
        self._next = next(self._sizes, None)

    def add(self, block: bytes) -> None:
        self._kept += block
        at = 0
        while self._next is not None and len(self._kept) - at >= self._next:
            self.done.append(self._digests.of_bytes(bytes(self._kept[at : at + self._next])))
            at += self._next
            self._next = next(self._sizes, None)
        del self._kept[:at]


def random_blocks(seed: str, size: int) -> Iterator[bytes]:
    """`size` bytes that depend on the seed alone."""
    source = random.Random(seed)
    while size > 0:
        yield source.randbytes(min(BLOCK, size))
        size -= BLOCK


def check_set(data: DataSet) -> list[str]:
    """What differs from the digests, a line each: reads every byte of every copy."""
    digests = Digests(places.DIGEST_LIBRARY)
    wrong = []
    for number in range(data.copies):
        whole = digests.stream()
        for path, rows in zip(data.paths(number), data.rows, strict=True):
            with open(path, "rb") as file:
                file.seek(os.path.getsize(path) - rows * data.row_bytes)
                while block := file.read(BLOCK):
                    whole.add_bytes(block)
        if whole.take() != data.whole:
            wrong.append(f"{data.copy(number)} does not hold what was written there")
    return wrong
