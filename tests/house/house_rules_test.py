"""The rules catch what they are for, and let through what looks like it. Run: python house_rules_test.py"""

import unittest

from house_rules import breaches_of, filter_breaches, word_breaches


def texts(path, source):
    return [breach.text for breach in breaches_of(path, source)]


class Arrows(unittest.TestCase):
    def test_an_arrow_of_the_design_passes(self):
        self.assertEqual(texts("src/plan/a.cpp", '#include "layout/box.hpp"\n#include "plan/b.hpp"\n'), [])

    def test_an_arrow_against_the_design_is_named_with_its_line(self):
        found = breaches_of("src/io/a.cpp", '\n#include "formats/npy.hpp"\n')
        self.assertEqual([(b.path, b.line) for b in found], [("src/io/a.cpp", 2)])
        self.assertIn("formats -> io", found[0].text)

    def test_a_commented_include_is_none(self):
        self.assertEqual(texts("src/core/a.cpp", '// #include "io/file.hpp"\n/* #include "io/file.hpp" */\n'), [])

    def test_an_unknown_room_is_no_room(self):
        self.assertEqual(len(texts("src/cellar/a.cpp", "")), 1)


class ForeignHeaders(unittest.TestCase):
    def test_each_in_its_place_only(self):
        for name, home in [
            ("mpi.h", "include/loadstone/interop/mpi.hpp"),
            ("simdjson.h", "src/formats/json_reader.cpp"),
            ("liburing.h", "src/io/uring_backend.cpp"),
            ("sys/mman.h", "src/io/memory.cpp"),
        ]:
            with self.subTest(name=name):
                self.assertEqual(texts(home, f"#include <{name}>\n"), [])
                self.assertEqual(len(texts("src/loader/load.cpp", f"#include <{name}>\n")), 1)

    def test_public_headers_are_standard_only(self):
        self.assertEqual(texts("include/loadstone/a.hpp", "#include <vector>\n#include <loadstone/b.hpp>\n"), [])
        self.assertNotEqual(texts("include/loadstone/a.hpp", '#include "core/status.hpp"\n'), [])
        self.assertNotEqual(texts("include/loadstone/a.hpp", "#include <fmt/format.h>\n"), [])


class RawCalls(unittest.TestCase):
    def test_calls_that_open_map_and_read(self):
        for call in ["::open(p, 0)", "mmap(0, n)", "::read(fd, b, n)", "std::fopen(p, m)", "pread(fd, b, n, 0)"]:
            with self.subTest(call=call):
                self.assertEqual(len(texts("src/loader/a.cpp", f"auto x = {call};\n")), 1)
                self.assertEqual(texts("src/io/a.cpp", f"auto x = {call};\n"), [])

    def test_our_own_verbs_and_mentions_pass(self):
        ours = ["loadstone::open(paths);", "open(paths);", "source.read(bytes);", "io::read(x);"]
        for line in [*ours, 'f("mmap(");', "// mmap()"]:
            with self.subTest(line=line):
                self.assertEqual(texts("src/loader/a.cpp", line + "\n"), [])


class HeaderFilter(unittest.TestCase):
    HEADERS = ("src/core/text.hpp", "cli/flags.hpp", "include/loadstone/load.hpp", "tests/io/a.hpp")

    def passed_over(self, words):
        return [b.text.split()[-1] for b in filter_breaches(f"HeaderFilterRegex: '{words}'\n", self.HEADERS)]

    def test_headers_count_by_the_names_that_a_compiler_has_for_them(self):
        self.assertEqual(self.passed_over(r"(include/loadstone|rooms/[a-z]+|tests)/.*\.hpp$"), [])
        rooms = ["/build/tidy/rooms/core/core/text.hpp", "/build/tidy/rooms/cli/cli/flags.hpp"]
        self.assertEqual(self.passed_over(r"(include/loadstone|src|tests)/.*\.hpp$"), rooms)

    def test_a_missing_filter_is_named(self):
        self.assertEqual(len(list(filter_breaches("Checks: x\n", self.HEADERS))), 1)


class Switches(unittest.TestCase):
    def test_feature_switches_stand_in_the_tables(self):
        source = "int a;\n#if defined(LOADSTONE_WITH_URING)\n#endif\n"
        self.assertEqual(texts("src/io/backend_table.cpp", source), [])
        self.assertEqual([b.line for b in breaches_of("src/io/engine.cpp", source)], [2])


class Options(unittest.TestCase):
    def test_an_option_that_is_spelled_is_named(self):
        for text in ["Pass budget=1.", "or pass --order given", "Try io.direct=off", "format="]:
            with self.subTest(text=text):
                self.assertEqual(len(texts("src/io/a.cpp", f'fault.remedy = "{text}";\n')), 1)
                self.assertEqual(texts("cli/a.cpp", f'fault.remedy = "{text}";\n'), [])

    def test_mentions_and_other_words_pass(self):
        for line in [
            '// "budget=1"',
            'x = named(Option::budget, "1");',
            'f("a budget of 1 -- no more");',
            'f("x={}");',
        ]:
            with self.subTest(line=line):
                self.assertEqual(texts("src/io/a.cpp", line + "\n"), [])

    ROW = 'OptionWords{Option::budget, "budget", "budget_bytes", "budget", "--budget", Form::bytes},'
    CALL = 'OptionWords{Option::record, "record", "verify(..)", "loadstone.verify()", "loadstone verify --write-manifest {}"'

    def test_words_are_members_keywords_and_flags(self):
        good = (
            "int budget_bytes; bool write_manifest",
            "    budget: int\n    write_manifest: bool",
            '"--budget", "--write-manifest"',
        )
        self.assertEqual(list(word_breaches(self.ROW + self.CALL, *good)), [])
        for i in range(3):
            bad = [text.replace("budget", "badget") if at == i else text for at, text in enumerate(good)]
            self.assertEqual(len(list(word_breaches(self.ROW + self.CALL, *bad))), 1, bad)
        self.assertEqual(len(list(word_breaches("", *good))), 1)


class Length(unittest.TestCase):
    def test_a_long_file_is_named(self):
        self.assertEqual(texts("src/core/a.cpp", "\n" * 450), [])
        self.assertEqual(len(texts("src/core/a.cpp", "\n" * 451)), 1)


if __name__ == "__main__":
    unittest.main()
