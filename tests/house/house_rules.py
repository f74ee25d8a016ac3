"""The rules of the house as data and pure functions: a tree of sources in, a list of breaches out.

Which room may include which (docs/design.md), where foreign headers may be seen, where files may be opened and mapped
(H3), and how long a file may be. `python house_rules.py ROOT` prints the breaches and fails if there are any.
"""

import dataclasses
import pathlib
import re
import sys

# Room -> rooms whose headers it may include, beside its own. Written out here a second time on purpose: an arrow that
# is new in a CMakeLists.txt must be new here and in the design as well.
ARROWS = {
    "core": set(),
    "layout": {"core"},
    "plan": {"core", "layout"},
    "formats": {"core", "layout"},
    "io": {"core"},
    "comm": {"core"},
    "array": {"core", "layout", "plan", "comm"},
    "loader": {"core", "layout", "plan", "formats", "io", "comm", "array"},
}

# Foreign header -> the files that may see it.
FOREIGN = {
    r"mpi\.h": r"(include/loadstone/interop/(mpi|detail/mpi_\w+)\.hpp|tests/mpi/(call_\w+|other_calls)\.[ch]pp)",
    r"liburing\.h": r"src/io/uring_\w+\.cpp",
    r"simdjson\.h": r"src/formats/json_reader\.cpp",
    r"xxhash\.h": r"src/core/hash\.cpp",
    r"CLI/.*": r"cli/.*\.cpp",
    r"(nanobind/.*|Python\.h)": r"python/.*",
    r"(gtest|gmock)/.*": r"tests/.*",
    r"dlfcn\.h": r"src/comm/\w+\.cpp",
    # What opens, maps and reads files.
    r"(fcntl\.h|sys/mman\.h|sys/uio\.h|sys/vfs\.h|fstream)": r"(src/io/.*|src/core/pages\.cpp|tests/.*)",
}

# Calls that open, map or read, outside src/io. Names that are also ours (open, read) count only with a leading `::`.
RAW_CALL = re.compile(
    r"(?<![\w:.>])(?:::(?:open|openat|creat|read|write|mmap|munmap|pread|preadv|preadv2|pwrite|readv|fopen)"
    r"|(?:std::)?(?:openat|openat2|mmap|munmap|mremap|pread|preadv|preadv2|pwrite|fopen|freopen|fread))\s*\("
)
# The two others touch no file: anonymous pages, and a pipe that a signal handler writes to.
RAW_CALLS_IN = re.compile(r"src/io/.*|src/core/pages\.cpp|cli/signal_watch\.cpp")

# `#if` feature switches live in the tables only.
SWITCH = re.compile(r"^\s*#\s*(?:el)?if[^\n]*\bLOADSTONE_(?:WITH|HAVE|HAS)_\w+", re.MULTILINE)
SWITCHES_IN = re.compile(r"src/(formats/driver_table|io/backend_table|comm/modules)\.cpp")

# A public header includes the standard library and its siblings, nothing else.
PUBLIC = re.compile(r"include/loadstone/\w+\.hpp")
STANDARD_OR_OURS = re.compile(r"[a-z_]+|loadstone/.*")

# Remedies name options by `named(Option::...)`, so that each audience reads its own words: a flag or a keyword with `=`
# in a text of the library is right for one of them only.
OPTION_TABLE = "src/core/option_words.cpp"
SPELLED_OPTION = re.compile(
    r"(?<![\w-])--[a-z][a-z-]+"
    r"|\b(?:budget|budget_bytes|deadline_s|identity|roots|format|order|first_index|ignore|trailing_shape|byteorder"
    r"|header_bytes|max_header_bytes|allow_tail|rows|select|split|dtype|casting|rows_per_rank|overdecompose|device|shape"
    r"|shards|fill|force|write_manifest"
    r"|io[._](?:backend|direct|mapped|huge_pages|page_cache|landing|fs_class|request\w*|depth|threads|open_files|retries))="
)
# The one other text with `split=` is the notation of distributions, which all audiences share.
SPELLED_IN = re.compile(r"src/(core/option_words|layout/distribution_text)\.cpp")
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')

TIDY = ".clang-tidy"

LONGEST_FILE = 450
LONGEST_TEST = 600  # tables of cases
SOURCE_FOLDERS = ("include", "src", "cli", "python", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Breach:
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def without_comments(text):
    """Comments and string literals blanked, line numbers kept; include lines keep their names."""

    def blank(match):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match.group().startswith('"') and before.strip().startswith("#"):
            return match.group()
        return re.sub(r"[^\n]", " ", match.group())

    return COMMENT.sub(blank, text)


def arrow_breaches(path, includes):
    """`includes`: (line, name) of every include of the file at `path`."""
    room = re.match(r"src/(\w+)/", path)
    if not room:
        return
    own = room.group(1)
    if own not in ARROWS:
        yield Breach(path, 1, f"src/{own} is no room of the design")
        return
    for line, name in includes:
        other = name.split("/")[0]
        if "/" in name and other in ARROWS and other != own and other not in ARROWS[own]:
            yield Breach(path, line, f"{own} may not include {name}: there is no arrow {other} -> {own}")


def foreign_breaches(path, includes):
    for line, name in includes:
        for header, places in FOREIGN.items():
            if re.fullmatch(header, name) and not re.fullmatch(places, path):
                yield Breach(path, line, f"<{name}> is seen only in {places}")


def public_breaches(path, includes):
    if not PUBLIC.fullmatch(path):
        return
    for line, name in includes:
        if not STANDARD_OR_OURS.fullmatch(name):
            yield Breach(path, line, f"a public header includes {name}, which is neither standard nor public")


def raw_call_breaches(path, text):
    if not path.startswith(("src/", "include/", "cli/", "python/")) or RAW_CALLS_IN.fullmatch(path):
        return
    for match in RAW_CALL.finditer(text):
        yield Breach(path, line_of(text, match.start()), f"{match.group().strip()}...) outside src/io")


def switch_breaches(path, text):
    if SWITCHES_IN.fullmatch(path) or path.startswith("tests/"):
        return
    for match in SWITCH.finditer(text):
        yield Breach(path, line_of(text, match.end()), "a feature switch outside the tables")


def option_breaches(path, text):
    """`text` with its comments: only what stands in quotes counts."""
    if not path.startswith("src/") or SPELLED_IN.fullmatch(path):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for quoted in STRING.findall(line.split("//")[0]):
            for match in SPELLED_OPTION.finditer(quoted):
                yield Breach(path, number, f"'{match.group()}' is right for one audience: use named(Option::...)")


def word_breaches(table, cpp, python, flags):
    """Rows of the table of option words whose words are no member, keyword or flag of the three other texts."""
    rows = re.findall(r'OptionWords\{\s*Option::(\w+),\s*"[^"]*",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"', table)
    if not rows:
        yield Breach(OPTION_TABLE, 1, "no row was found")
    for option, member, keyword, flag in rows:
        if " " in flag:  # a phrase: the flag in it
            member, keyword, flag = "write_manifest", "write_manifest", flag.split()[2]
        if not re.search(rf"\b{member.split('.')[-1]}\b", cpp):
            yield Breach(OPTION_TABLE, 1, f"Option::{option}: no public header has a member {member}")
        if not re.search(rf"^ +{keyword}: ", python, re.MULTILINE):
            yield Breach(OPTION_TABLE, 1, f"Option::{option}: Python has no keyword {keyword}")
        if f'"{flag}"' not in flags:
            yield Breach(OPTION_TABLE, 1, f"Option::{option}: the command has no flag {flag}")


def as_found(header):
    """The name by which a compiler finds a header: those of rooms through a link in the build folder."""
    if not header.startswith(("src/", "cli/")):
        return f"/{header}"
    in_room = header.removeprefix("src/")
    return f"/build/tidy/rooms/{in_room.split('/')[0]}/{in_room}"


def filter_breaches(filter_text, headers):
    """Headers that clang-tidy would pass over, under the names by which a compiler finds them."""
    match = re.search(r"^HeaderFilterRegex: '(.+)'$", filter_text, re.MULTILINE)
    if not match:
        yield Breach(TIDY, 1, "no HeaderFilterRegex was found")
        return
    for header in headers:
        if not re.search(match[1], as_found(header)):
            yield Breach(TIDY, line_of(filter_text, match.start()), f"the filter passes over {as_found(header)}")


def length_breaches(path, text):
    lines, most = text.count("\n"), LONGEST_TEST if path.startswith("tests/") else LONGEST_FILE
    if lines > most:
        yield Breach(path, lines, f"{lines} lines; a file of one purpose has at most {most}")


def breaches_of(path, text):
    """All breaches of one file; `path` is relative to the root, with forward slashes."""
    code = without_comments(text)
    includes = [(line_of(code, m.start(2)), m.group(2)) for m in INCLUDE.finditer(code)]
    found = []
    for rule in (arrow_breaches, foreign_breaches, public_breaches):
        found += rule(path, includes)
    found += raw_call_breaches(path, code)
    found += switch_breaches(path, code)
    found += option_breaches(path, text)
    found += length_breaches(path, text)
    return found


def sources(root):
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".h") and path.is_file():
                yield path


def all_text(root, *patterns):
    return "\n".join(path.read_text() for pattern in patterns for path in sorted(root.glob(pattern)))


def main(root):
    files = list(sources(root))
    found = [b for file in files for b in breaches_of(file.relative_to(root).as_posix(), file.read_text())]
    found += word_breaches(
        all_text(root, OPTION_TABLE),
        all_text(root, "include/loadstone/*.hpp"),
        all_text(root, "python/loadstone/*.py"),
        all_text(root, "cli/flags.cpp"),
    )
    headers = [file.relative_to(root).as_posix() for file in files if file.suffix == ".hpp"]
    found += filter_breaches((root / TIDY).read_text(), headers)
    for breach in found:
        print(breach)
    print(f"{len(files)} files, {len(found)} breaches")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
