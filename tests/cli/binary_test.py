"""Runs the installed shape of the command: words in, exit code and streams out. No library beyond Python's own."""

import contextlib
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""


def npy(rows, extra=b"", cut=0):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({rows}, 2), }}"
    header += " " * (117 - len(header)) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(8 * rows) + extra
    return data[: len(data) - cut]


def run(*words, **options):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, **options)


class Binary(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "d"
        self.data.mkdir()
        for i, rows in enumerate([3, 0, 5]):
            (self.data / f"s_{i}.npy").write_bytes(npy(rows))

    def exits(self, code, *words, **options):
        done = run(*words, **options)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done

    def document(self, code, *words, **options):
        doc = json.loads(self.exits(code, *words, "--json", **options).stdout)
        self.assertEqual(doc["ok"], code == 0)
        self.assertEqual((doc["loadstone"], doc["command"]), (1, words[0]))
        return doc

    def test_usage(self):
        for words in [
            ["laod", "x"],
            ["load"],
            ["load", "x", "--splitt", "0"],
            ["load", "x", "--budget", "lots"],
            ["--ranks", "2", "load", "x"],
            ["plan", self.data, "--ranks", "0"],
            [],
        ]:
            done = self.exits(2, *words)
            self.assertTrue(done.stderr.strip() and not done.stdout, words)
        self.assertEqual(self.document(2, "load", self.data, "--tiles", "square")["faults"][0]["code"], "bad_argument")

    def test_an_unknown_format_is_usage_whatever_the_command(self):
        places = {"clean": [self.data], "write": [self.folder / "new"], "demo": [], "formats": [], "probe": []}
        for command in ("inspect", "plan", "load", "verify", *places):
            document = self.document(2, command, *places.get(command, [self.data]), "--format", "npi")
            (fault,) = document["faults"]
            self.assertEqual((fault["code"], fault["item"]), ("bad_argument", "--format"))
            self.assertIn("npy, raw, safetensors", fault["message"])
            self.assertIn("'npy'", fault["remedy"])
        self.assertFalse((self.folder / "new").exists())

    def test_words_that_cannot_both_be_meant_are_usage(self):
        for words in [
            ["verify", self.data, "--structure-only", "--write-manifest"],
            ["verify", self.data, "--require-manifest", "--write-manifest"],
            ["load", self.data, "--rows-per-rank", "8", "--tiles", "ceil"],
            ["inspect", self.data, "--format", "npy", "--allow-tail"],
            ["inspect", self.data, "--order", "given", "--first-index", "any"],
            ["plan", self.data, "--ranks", "3", "--rank", "3"],
            ["write", self.folder / "new", "--shape", "4,2", "--rows", "some"],
        ]:
            self.assertEqual(self.document(2, *words)["faults"][0]["code"], "bad_argument", words)
        self.assertEqual(sorted(os.listdir(self.data)), ["s_0.npy", "s_1.npy", "s_2.npy"])

    def test_help_and_version_run_nothing(self):
        for words in [["--help"], ["load", "--help"], ["clean", self.data, "--yes", "--help"], ["--version"]]:
            self.assertTrue(self.exits(0, *words).stdout.strip())
        self.assertTrue(self.data.exists())

    def test_exit_codes(self):
        self.exits(0, "inspect", self.data)
        self.exits(4, "inspect", self.data, "--strict")
        self.exits(3, "inspect", self.folder / "gone.npy")
        self.exits(8, "clean", self.data, "--yes")
        self.exits(2, "load", self.data, "--split", "7")
        (self.data / "s_2.npy").write_bytes(npy(5, cut=1))
        self.assertEqual(self.document(3, "load", self.data)["faults"][0]["kind"], "shard.truncated")

    def test_faults_go_to_standard_error(self):
        done = self.exits(3, "load", self.folder / "gone.npy")
        self.assertIn("gone.npy", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_round_trip(self):
        made = self.folder / "made"
        self.document(0, "write", made, "--shape", "50,3", "--shards", "4")
        digests = {self.document(0, "load", made, "--ranks", n, "--digest")["digest"] for n in (1, 2, 3)}
        self.assertEqual(len(digests), 1)
        self.document(0, "verify", made)
        self.assertEqual(self.document(0, "clean", made, "--yes")["kept"], [])
        self.assertFalse(made.exists())

    def test_recording_anew_says_what_it_replaces(self):
        first = self.exits(0, "verify", self.data, "--write-manifest").stdout
        self.assertIn("recorded   3 shards\n", first)
        self.assertNotIn("no manifest", first)
        self.assertIn(
            "replacing generation 1: nothing changed", self.exits(0, "verify", self.data, "--write-manifest").stdout
        )
        (self.data / "s_0.npy").write_bytes(npy(4))
        (self.data / "s_3.npy").write_bytes(npy(1))
        text = self.exits(0, "verify", self.data, "--write-manifest").stdout
        self.assertIn("recorded   4 shards, replacing generation 2: 1 changed, 1 new\n", text)
        self.assertIn("changed    s_0.npy\n", text)
        self.assertIn("new        s_3.npy\n", text)
        (self.data / "s_3.npy").unlink()
        part = self.document(0, "verify", self.data, "--write-manifest")["verify"]
        self.assertEqual((part["replaced_generation"], part["generation"]), (3, 4))
        self.assertEqual((part["changed"], part["added"], part["dropped"]), ([], [], ["s_3.npy"]))

    def test_recording_anew_does_not_follow_a_manifest_that_names_a_lost_file(self):
        self.exits(0, "verify", self.data, "--write-manifest")
        (self.data / "s_1.npy").unlink()
        (fault,) = self.document(4, "verify", self.data, "--write-manifest")["faults"]
        self.assertEqual(fault["kind"], "names.hole")

    def test_a_name_that_no_manifest_can_hold_is_refused(self):
        name = os.fsencode(self.data) + b"/s_\xff.npy"
        with open(name, "wb") as file:
            file.write(npy(2))
        (fault,) = self.document(2, "verify", self.data, "--order", "given", "--write-manifest")["faults"]
        self.assertEqual(fault["kind"], "verify.name")
        self.exits(4, "verify", self.data, "--require-manifest", "--order", "given")

    def test_a_plan_of_more_ranks_than_memory_has_room_for_is_usage(self):
        (fault,) = self.document(2, "plan", self.data, "--ranks", 300_000_000)["faults"]
        self.assertEqual(fault["kind"], "plan.ranks")
        self.document(0, "plan", self.data, "--ranks", 300_000_000, "--rank", 5)

    def test_more_shards_are_written_than_descriptors_are_allowed(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # noqa: E731
        self.exits(0, "write", self.folder / "new", "--shape", "300,2", "--shards", 300, preexec_fn=few)

    def test_c110_what_cannot_fit_is_not_begun(self):
        fault, *more = self.document(7, "write", self.folder / "new", "--shape", "99999999,999999")["faults"]
        self.assertEqual((fault["code"], more), ("no_space", []))
        self.assertIn("are free", fault["message"])

    def test_a_file_that_may_grow_no_further_is_an_error_and_leaves_nothing(self):
        small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_480, 20_480))  # noqa: E731
        words = ("write", self.folder / "new", "--shape", "10000,2", "--shards", 2)
        fault, *more = self.document(7, *words, preexec_fn=small)["faults"]
        self.assertEqual((fault["code"], more), ("no_space", []))
        self.assertIn("ulimit -f", fault["remedy"])
        self.assertEqual(os.listdir(self.folder / "new"), [])
        self.exits(0, *words)

    def test_what_a_dead_writer_left_is_nothing_foreign(self):
        new = self.folder / "new"
        new.mkdir()
        (new / ".loadstone-tmp-shard_0000.npy.123").write_bytes(b"half")
        self.exits(0, "write", new, "--shape", "30,2", "--shards", 2)
        self.assertEqual([name for name in os.listdir(new) if "tmp" in name], [])

    @unittest.skipIf(os.geteuid() != 0, "only root may become somebody who may start no thread")
    def test_without_a_thread_for_signals_commands_work_all_the_same(self):
        def alone():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)

        self.folder.chmod(0o755)
        quiet = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # a search for leaks is a thread too
        for words in (["inspect", self.data], ["plan", self.data], ["load", self.data], ["formats"]):
            done = run(*words, preexec_fn=alone, env=quiet)
            if "Permission denied" in done.stderr:
                self.skipTest("the program lies where nobody may read")
            self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")

    def test_a_wrong_setting_is_usage(self):
        doc = self.document(2, "load", self.data, env={**os.environ, "LOADSTONE_BUDGET": "lots"})
        self.assertIn("BUDGET", json.dumps(doc["faults"]))
        doc = self.document(0, "load", self.data, env={**os.environ, "LOADSTONE_IO_DIREKT": "on"})
        self.assertIn("LOADSTONE_IO_DIREKT", json.dumps(doc["warnings"]))

    def test_strict_makes_a_fault_of_each_warning(self):
        odd = {**os.environ, "LOADSTONE_IO_DIREKT": "on"}
        places = {"clean": [self.data], "write": [self.folder / "new"], "demo": [], "formats": [], "probe": []}
        for command in ("inspect", "plan", "load", "verify", *places):
            document = self.document(2, command, *places.get(command, [self.data]), "--strict", env=odd)
            self.assertEqual([fault["kind"] for fault in document["faults"]], ["environment.unknown"])
            self.assertEqual((document["warnings"], document["failure"]["total_faults"]), ([], 1))
        self.assertFalse((self.folder / "new").exists())
        done = self.exits(2, "formats", "--strict", "-q", env=odd)
        self.assertEqual(done.stdout, "")
        self.assertRegex(
            done.stderr, r"\Aerror: .*LOADSTONE_IO_DIREKT.*LOADSTONE_IO_DIRECT.*\[environment.unknown\]\n\Z"
        )

    def test_strict_takes_a_load_that_could_not_be_verified_for_failed(self):
        words = ["load", self.data / "s_0.npy", "--verify", "crc"]
        self.assertEqual([w["kind"] for w in self.document(0, *words)["warnings"]], ["verify.unverified"])
        document = self.document(3, *words, "--digest", "--strict")
        self.assertEqual([fault["kind"] for fault in document["faults"]], ["verify.unverified"])
        self.assertNotIn("digest", document)

    def test_full_standard_output_is_no_success(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "inspect", self.data], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 7)

    def test_t30_signals_end_the_command_and_leave_nothing(self):
        big = self.folder / "big"
        big.mkdir()
        rows = 8 << 30
        (big / "x.npy").write_bytes(npy(0).replace(b"(0, 2), }" + b" " * 9, f"({rows}, 2), }}".encode()))
        os.truncate(big / "x.npy", 128 + 8 * rows)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            words = [PROGRAM, "verify", big, "--write-manifest", "--json"]
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with contextlib.closing(process.stdout), contextlib.closing(process.stderr):
                while not self.watches(process.pid):
                    self.assertIsNone(process.poll(), "it ended before the signal")
                    time.sleep(0.01)
                process.send_signal(number)
                out, _ = process.stdout.read(), process.wait(20)
            self.assertEqual(process.returncode, code)
            self.assertEqual(json.loads(out)["faults"][0]["code"], "cancelled")
            self.assertEqual(os.listdir(big), ["x.npy"])

    @staticmethod
    def watches(pid):
        """Whether SIGINT is blocked in the first thread: the watch has begun."""
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        blocked = int(next(line for line in status.splitlines() if line.startswith("SigBlk")).split()[1], 16)
        return blocked >> (signal.SIGINT - 1) & 1


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
