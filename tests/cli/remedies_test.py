"""What the command tells its users to do is told in flags: no message names an argument of Python or a member of C++."""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""

# Keywords of the Python package with `=`, and members of the C++ options with a value.
FOREIGN = re.compile(
    r"\b(budget|budget_bytes|deadline_s|identity|io[._]\w+|roots|format|order|first_index|ignore|trailing_shape|byteorder"
    r"|header_bytes|max_header_bytes|allow_tail|rows|select|split|dtype|casting|rows_per_rank|overdecompose|device|shape"
    r"|shards|fill|force|write_manifest) ?="
)


def npy(descr="<f8", shape=(4, 3), payload=None, order="False"):
    header = f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape!r}, }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    nbytes = int(descr[2:]) * shape[0] * shape[1] if payload is None else payload
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(nbytes)


class Remedies(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def make(self, name, files):
        data = self.folder / name
        data.mkdir()
        for file, content in files.items():
            (data / file).write_bytes(content)
        return data

    def told(self, *words, env=None):
        """What the command says in text and in JSON, which must name no foreign option; the remedies of the latter."""
        line = [PROGRAM, *map(str, words)]
        text = subprocess.run(line, capture_output=True, text=True, timeout=60, env=env)
        document = subprocess.run([*line, "--json"], capture_output=True, text=True, timeout=60, env=env)
        for said in (text.stdout, text.stderr, document.stdout, document.stderr):
            self.assertIsNone(FOREIGN.search(said), said)
            self.assertNotIn("\x01", said)
            self.assertNotIn("\\u0001", said)
        report = json.loads(document.stdout)
        remedies = [fault.get("remedy", "") for fault in report["faults"] + report["warnings"]]
        for remedy in remedies:
            self.assertIn(remedy.rstrip("."), text.stderr)
        return " ".join(remedies)

    def test_each_remedy_is_a_flag(self):
        shard = npy()
        plain = self.make("plain", {"s_0.npy": shard, "s_1.npy": shard})
        transposed = self.make("transposed", {"x.npy": npy(">f8", (300, 400), order="True")})
        raw = self.make("raw", {"x.bin": bytes(10)})
        for words, flag in [
            (["load", transposed, "--dtype", "f4", "--casting", "lossy", "--budget", 1], r"--budget \d+(KiB)? or more"),
            (["load", plain, "--dtype", "i4"], "--casting checked"),
            (["load", plain, "--dtype", "i4"], "--casting lossy"),
            (["inspect", plain], "loadstone verify --write-manifest"),
            (["inspect", self.make("late", {"s_1.npy": shard, "s_2.npy": shard})], "--first-index 1"),
            (["inspect", self.make("two", {"a_1_1.npy": shard, "a_2_2.npy": shard})], "--order numeric"),
            (["inspect", *(self.make("odd", {"a.npy": shard, "b.npy": shard}),)], "--order given|as a glob"),
            (["inspect", self.make("long", {"s_0.npy": npy(shape=(4, 3)).ljust(9000)}), "--max-header-bytes", 8],
             r"--max-header-bytes \d+"),
            (["inspect", raw], "--dtype and --trailing-shape"),
            (["load", raw / "x.bin", "--format", "raw", "--dtype", "<i4", "--trailing-shape", "1"], "--allow-tail"),
            (["load", raw / "x.bin", "--format", "raw", "--dtype", "<i4", "--trailing-shape", "1", "--header-bytes", 99],
             "--header-bytes"),
            (["load", plain, "--io-backend", "banana"], "--io-backend"),
            (["load", plain, "--io-fs-class", "/x=fast"], "--io-fs-class"),
            (["load", plain, "--device", "banana"], "--device host"),
            (["load", plain, "--split", "none", "--rows-per-rank", "4,4"], "--rows-per-rank"),
            (["load", plain, "--rows", "0:2", "--select", "1"], "--rows or --select"),
            (["load", plain, "--rows-per-rank", "8", "--tiles", "ceil"], "--rows-per-rank or --tiles"),
            (["inspect", plain, "--format", "npy", "--header-bytes", 8], "--format or --header-bytes"),
            (["plan", plain, "--order", "given", "--first-index", 1], "--order or --first-index"),
            (["verify", plain, "--structure-only", "--write-manifest"], "--write-manifest or --structure-only"),
            (["verify", plain, "--require-manifest", "--write-manifest"], "--write-manifest or --require-manifest"),
            (["verify", plain, "--require-manifest"], "loadstone verify --write-manifest"),
            (["write", plain, "--shape", "8,2"], "--force"),
            (["write", self.folder / "new", "--shape", "3,3", "--shards", "9"], "--rows uniform"),
            (["write", self.folder / "new", "--shape", "8,2", "--format", "raw"], "--format npy"),
            (["clean", plain], "loadstone verify --write-manifest"),
        ]:  # fmt: skip
            with self.subTest(words=words):
                self.assertRegex(self.told(*words), flag)

    def test_the_smallest_budget_can_be_typed_as_it_is_told(self):
        data = self.make("d", {"x.npy": npy(">f8", (300, 400), order="True")})
        words = ["load", data, "--dtype", "f4", "--casting", "lossy"]
        told = re.search(r"--budget \S+", self.told(*words, "--budget", 1)).group()
        self.assertEqual(subprocess.run([PROGRAM, *map(str, words), *told.split()], timeout=60).returncode, 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
