#include "cli/flags.hpp"

#include "cli/commands.hpp"

#include <cstddef>

namespace loadstone::cli {
namespace {

constexpr CommandSet kAll = ~CommandSet{0};
constexpr CommandSet kOpening = kInspect | kPlan | kLoad | kVerify;
constexpr CommandSet kLayout = kPlan | kLoad;
constexpr CommandSet kReading = kLoad | kVerify;
constexpr CommandSet kCutting = kPlan | kReading;

using A = Arguments;

const Flag kFlags[] = {
    {"--json", &A::json, "", "Common", kAll, "one JSON document on standard output"},
    {"--strict", &A::strict, "", "Common", kAll, "warnings are faults, also those about LOADSTONE_ variables"},
    {"-q,--quiet", &A::quiet, "", "Common", kAll, "no progress, no warnings"},
    {"-v,--verbose", &A::verbose, "", "Common", kAll, "more detail"},
    {"--budget", &A::budget, "BYTES", "Common", kAll, "most bytes a rank holds beyond the result, such as 512MiB"},
    {"--threads", &A::threads, "N", "Common", kAll, "threads a rank that copy and decode, 1 to 64"},
    {"--format", &A::format, "NAME", "Common", kAll, "force a format: npy, raw (the first bytes decide otherwise)"},
    {"--roots", &A::roots, "DIR[:DIR]", "Common", kAll, "more directories that links may lead into (repeatable)"},

    {"--list", &A::list, "", "Output", kInspect, "one line a shard"},
    {"--digest", &A::digest, "", "Output", kLoad, "128-bit digest, equal for every rank count, split and budget"},
    {"--stats", &A::stats, "", "Output", kLoad, "all figures: ways, requests, retries, peaks by use"},
    {"--file-stats", &A::file_stats, "", "Output", kLoad, "the same for each file: ways, requests, the slowest one"},
    {"--settings", &A::settings, "", "Output", kProbe, "every setting, its value and where it comes from"},

    {"--ranks", &A::ranks, "N", "Layout", kLayout, "ranks; load runs them as threads unless a launcher started it"},
    {"--rank", &A::rank, "R", "Layout", kPlan, "this rank's part alone"},
    {"--split", &A::split, "AXIS", "Layout", kLayout, "axis divided over ranks (default 0; negative wraps), or none"},
    {"--tiles", &A::tiles, "RULE", "Layout", kLayout, "balanced (default) or ceil"},
    {"--rows-per-rank", &A::rows_per_rank, "N,N,..", "Layout", kLayout, "explicit extents along the split axis"},
    {"--overdecompose", &A::overdecompose, "K", "Layout", kLayout, "read each tile in K pieces"},
    {"--rows", &A::rows, "A:B", "Layout", kLayout, "rows of the stack axis"},
    {"--select", &A::select, "TEXT", "Layout", kLayout, "one integer or slice an axis, such as 1::7,-2 or ...,0"},
    {"--dtype", &A::dtype, "TYPE", "Layout", kOpening, "cast to this type; the type of raw shards without a sidecar"},
    {"--casting", &A::casting, "RULE", "Layout", kLayout, "lossless (default), checked or lossy"},
    {"--device", &A::device, "NAME", "Layout", kLoad, "where tiles live: host"},

    {"--verify", &A::verify, "HOW", "Content", kLoad, "none (default) or crc: compare with the manifest while reading"},
    {"--write-manifest", &A::write_manifest, "", "Content", kVerify, "record the directory as it is"},
    {"--require-manifest", &A::require_manifest, "", "Content", kVerify, "a missing manifest is a fault"},
    {"--structure-only", &A::structure_only, "", "Content", kVerify, "headers and sizes, no data"},

    {"--order", &A::order, "RULE", "Dataset", kOpening, "auto (default), given or numeric"},
    {"--first-index", &A::first_index, "N", "Dataset", kOpening, "accepted number of the first shard, or any"},
    {"--ignore", &A::ignore, "GLOB", "Dataset", kOpening, "names that are no shards (repeatable)"},
    {"--expect-shards", &A::expect_shards, "N", "Dataset", kOpening, "exact number of shards"},
    {"--expect-rows", &A::expect_rows, "N", "Dataset", kOpening, "exact number of rows"},
    {"--sidecar", &A::sidecar, "FILE", "Dataset", kOpening, "JSON file that describes raw shards"},
    {"--trailing-shape", &A::trailing_shape, "N,N,..", "Dataset", kOpening, "raw: extents of one row, or none"},
    {"--byteorder", &A::byteorder, "ORDER", "Dataset", kOpening, "raw: little or big"},
    {"--header-bytes", &A::header_bytes, "N", "Dataset", kOpening, "raw: bytes before the data"},
    {"--allow-tail", &A::allow_tail, "", "Dataset", kOpening, "raw: bytes after the last whole row are no fault"},
    {"--max-header-bytes", &A::max_header_bytes, "N", "Dataset", kOpening, "longest header that is read (1 MiB)"},

    {"--io-backend", &A::io_backend, "NAME", "Input", kReading, "auto (default), posix or uring"},
    {"--io-direct", &A::io_direct, "WHEN", "Input", kReading, "past the page cache: auto (default), on, off, require"},
    {"--io-mapped", &A::io_mapped, "WHEN", "Input", kReading, "from the page cache by mapping: auto (default), off"},
    {"--io-huge-pages", &A::io_huge_pages, "WHEN", "Input", kReading, "auto (default), off or hugetlb"},
    {"--io-page-cache", &A::io_page_cache, "HOW", "Input", kReading, "keep (default) or spare"},
    {"--io-landing", &A::io_landing, "WHERE", "Input", kLayout, "auto (in place, default) or staged"},
    {"--io-fs-class", &A::io_fs_class, "MAP", "Input", kReading, "PREFIX=class,.. of file systems"},
    {"--io-request", &A::io_request, "BYTES", "Input", kCutting, "longest read, 64KiB to 64MiB"},
    {"--io-depth", &A::io_depth, "N", "Input", kReading, "reads in flight, 1 to 512"},
    {"--io-open-files", &A::io_open_files, "N", "Input", kReading, "descriptors held open at once"},
    {"--io-retries", &A::io_retries, "N", "Input", kReading, "times a failed read is tried again"},
    {"--identity", &A::identity, "RULE", "Input", kLoad, "what makes a file the same: strict (default), size_mtime"},
    {"--deadline", &A::deadline, "SECONDS", "Input", kReading, "longest time without progress (default 300)"},

    {"--shape", &A::shape, "N,N,..", "Array", kWrite, "extents of the whole array (default 4000000,8 in 4 shards)"},
    {"--shards", &A::shards, "N", "Array", kWrite, "number of shards (default 1)"},
    {"--dtype", &A::dtype, "TYPE", "Array", kWrite, "numeric type (default float32)"},
    {"--seed", &A::seed, "N", "Array", kWrite, "seed of the values (default 0)"},
    {"--rows", &A::rows, "RULE", "Array", kWrite, "uneven (default), uniform, or one number a shard"},
    {"--fill", &A::fill, "WITH", "Array", kWrite, "random (default) or index"},
    {"--force", &A::force, "", "Array", kWrite, "write beside foreign files; replace by the next generation"},

    {"--yes", &A::yes, "", "Safety", kClean, "remove; without it the command only lists"},
};

std::string_view long_name(const Flag& flag) {
  const std::string_view names = flag.names;
  return names.substr(names.find("--"));
}

}  // namespace

std::span<const Flag> flags() { return kFlags; }

CommandSet set_of(std::string_view command) noexcept {
  const std::span<const CommandEntry> table = command_table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == command) return table[i].set;
  }
  return 0;
}

std::vector<std::string> long_names(CommandSet command) {
  std::vector<std::string> names{"--help"};
  for (const Flag& flag : kFlags) {
    if ((flag.commands & command) != 0) names.emplace_back(long_name(flag));
  }
  return names;
}

CommandSet takers_of(std::string_view name) {
  CommandSet takers = 0;
  for (const Flag& flag : kFlags) {
    if (long_name(flag) == name) takers |= flag.commands;
  }
  return takers;
}

}  // namespace loadstone::cli
