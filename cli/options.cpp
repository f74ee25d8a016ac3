#include "cli/options.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <variant>

namespace loadstone::cli {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
/// More threads than any machine runs well, and few enough to be a slip of the hand beyond.
constexpr std::int64_t kMostThreadRanks = 4096;
constexpr std::int64_t kMostPlannedRanks = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostThreads = 64;
constexpr std::int64_t kDaySeconds = 86400;
// What `write` makes if nothing is said of its size (DS63): 128 MB of float32.
constexpr std::array<std::int64_t, 2> kDefaultShape = {4'000'000, 8};
constexpr std::int64_t kDefaultShards = 4;

[[noreturn]] void bad_value(std::string_view flag, std::string_view text, std::string_view takes) {
  usage_error("usage.value", std::string(flag), fmt::format("{} takes {}, not '{}'", flag, takes, escape(text)),
              "See loadstone COMMAND --help.");
}

template <class T>
T choice(std::string_view flag, const Text& text, T otherwise, std::initializer_list<std::pair<const char*, T>> from) {
  if (!text) return otherwise;
  std::vector<std::string> names;
  for (const auto& [name, value] : from) {
    if (*text == name) return value;
    names.emplace_back(name);
  }
  bad_value(flag, *text, joined(names, " or "));
}

std::string word(std::string_view flag, const Text& text, std::initializer_list<const char*> from) {
  if (!text) return "";
  std::vector<std::string> names(from.begin(), from.end());
  for (const std::string& name : names) {
    if (*text == name) return name;
  }
  bad_value(flag, *text, joined(names, " or "));
}

std::optional<std::int64_t> number(std::string_view flag, const Text& text, std::int64_t least = 0,
                                   std::int64_t most = kMost) {
  if (!text) return std::nullopt;
  return parse_integer(flag, *text, least, most);
}

std::optional<std::int64_t> bytes(std::string_view flag, const Text& text) {
  if (!text) return std::nullopt;
  try {
    return parse_bytes(*text);
  } catch (const Error&) {
    bad_value(flag, *text, "bytes such as 16777216, 64MiB or 1GiB");
  }
}

std::optional<std::int64_t> threads(const Text& text) { return number("--threads", text, 1, kMostThreads); }

std::optional<DType> dtype(const Text& text) {
  if (!text) return std::nullopt;
  const std::optional<DType> type = parse_dtype(*text);
  if (!type) bad_value("--dtype", *text, "a type such as float32, <f4 or int64");
  return type;
}

std::vector<std::string> split_list(const std::vector<std::string>& texts, char separator) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    std::size_t begin = 0;
    while (begin <= text.size()) {
      const std::size_t end = std::min(text.find(separator, begin), text.size());
      if (end > begin) parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return parts;
}

Shape trailing_shape(const std::string& text) {
  if (text == "none" || text == "()") return {};
  Shape shape = parse_integers("--trailing-shape", text);
  for (const std::int64_t extent : shape) {
    if (extent < 0) bad_value("--trailing-shape", text, "extents such as 256 or 3,4, or none");
  }
  return shape;
}

std::optional<std::int64_t> split_axis(const Text& text) {
  if (!text) return 0;
  if (*text == "none") return std::nullopt;
  return parse_integer("--split", *text, -kMost, kMost);
}

Selection selection(const Text& text) {
  if (!text) return {};
  try {
    return parse_selection(*text);
  } catch (const Error&) {
    bad_value("--select", *text, "one integer or slice an axis, such as 1::7,-2");
  }
}

/// One slice without steps; empty if the text is anything else.
std::optional<Slice> plain_slice(const std::string& text) {
  try {
    const Selection parsed = parse_selection(text);
    const auto* const slice = parsed.size() == 1 ? std::get_if<Slice>(parsed.data()) : nullptr;
    return slice != nullptr && slice->step == 1 ? std::optional(*slice) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // the caller knows the flag's name
  }
}

std::optional<Slice> row_range(const Text& text) {
  if (!text) return std::nullopt;
  const std::optional<Slice> rows = plain_slice(*text);
  if (!rows) bad_value("--rows", *text, "a range of rows such as 100:200");
  return rows;
}

double deadline(const Text& text) {
  if (!text) return 0;
  double seconds = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, seconds);
  const bool right = error == std::errc{} && stop == end && seconds >= 1 && seconds <= double{kDaySeconds};
  if (!right) bad_value("--deadline", *text, "seconds from 1 to 86400");
  return seconds;
}

/// Known is not built: what a format that is not built needs is the library's to say.
void check_format(const std::string& name) {
  std::vector<std::string> known;
  for (const Capability& format : known_formats()) known.push_back(format.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string near = nearest(name, known);
  usage_error("usage.value", "--format", fmt::format("--format takes {}, not '{}'", joined(known), escape(name)),
              near.empty() ? "loadstone formats tells what each is." : fmt::format("Did you mean '{}'?", near));
}

void add_first_index(const Text& text, OpenOptions& options) {
  if (!text) return;
  options.any_first_index = *text == "any";
  if (!options.any_first_index) options.first_index = parse_integer("--first-index", *text, 0, kMost);
}

}  // namespace

Failure usage_failure(std::string kind, std::string item, std::string message, std::string remedy) {
  return failure_of(Fault{.code = Code::bad_argument,
                          .kind = std::move(kind),
                          .message = std::move(message),
                          .remedy = std::move(remedy),
                          .item = std::move(item)});
}

void usage_error(std::string kind, std::string item, std::string message, std::string remedy) {
  throw Error(usage_failure(std::move(kind), std::move(item), std::move(message), std::move(remedy)));
}

std::int64_t parse_integer(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end || value < least || value > most) {
    bad_value(flag, text,
              most < kMost      ? fmt::format("a whole number from {} to {}", least, most)
              : least == -kMost ? "a whole number"
                                : fmt::format("a whole number from {} up", least));
  }
  return value;
}

std::vector<std::int64_t> parse_integers(std::string_view flag, std::string_view text) {
  std::vector<std::int64_t> values;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (begin == end || error != std::errc{} || stop != text.data() + end) {
      bad_value(flag, text, "whole numbers with a comma between them");
    }
    values.push_back(value);
    begin = end + 1;
  }
  return values;
}

void check_common(const Arguments& a) {
  bytes("--budget", a.budget);
  threads(a.threads);
  if (a.format) check_format(*a.format);
}

OpenOptions open_options(const Arguments& a) {
  OpenOptions options;
  options.format = a.format.value_or("");
  options.order = choice("--order", a.order, Order::automatic,
                         {{"auto", Order::automatic}, {"given", Order::given}, {"numeric", Order::numeric}});
  add_first_index(a.first_index, options);
  options.ignore = a.ignore;
  options.roots = split_list(a.roots, ':');
  options.expect_shards = number("--expect-shards", a.expect_shards);
  options.expect_rows = number("--expect-rows", a.expect_rows);
  options.strict = a.strict;
  options.cast = dtype(a.dtype);
  options.max_header_bytes = number("--max-header-bytes", a.max_header_bytes, 1).value_or(options.max_header_bytes);
  options.sidecar = a.sidecar.value_or("");
  if (a.trailing_shape) options.trailing_shape = trailing_shape(*a.trailing_shape);
  options.byteorder = word("--byteorder", a.byteorder, {"little", "big"});
  options.header_bytes = number("--header-bytes", a.header_bytes);
  options.allow_tail = a.allow_tail;
  options.deadline_s = deadline(a.deadline);
  return options;
}

Interrupt patience(const Arguments& a) {
  Interrupt interrupt;
  if (a.deadline) interrupt.deadline_s = deadline(a.deadline);
  return interrupt;
}

IoOptions io_options(const Arguments& a) {
  IoOptions options;
  options.backend = a.io_backend.value_or("");
  options.direct = word("--io-direct", a.io_direct, {"auto", "on", "off", "require"});
  options.mapped = word("--io-mapped", a.io_mapped, {"auto", "off"});
  options.huge_pages = word("--io-huge-pages", a.io_huge_pages, {"auto", "off", "hugetlb"});
  options.page_cache = word("--io-page-cache", a.io_page_cache, {"keep", "spare"});
  options.landing = word("--io-landing", a.io_landing, {"auto", "staged"});
  options.fs_class = a.io_fs_class.value_or("");
  options.request_bytes = bytes("--io-request", a.io_request).value_or(0);
  options.depth = number("--io-depth", a.io_depth, 1, 512).value_or(0);
  options.threads = threads(a.threads).value_or(0);
  options.open_files = number("--io-open-files", a.io_open_files, 1).value_or(0);
  options.retries = number("--io-retries", a.io_retries).value_or(-1);
  options.file_stats = a.file_stats;
  return options;
}

LoadOptions load_options(const Arguments& a) {
  LoadOptions options;
  options.open = open_options(a);
  options.io = io_options(a);
  options.split = split_axis(a.split);
  options.tiles = choice("--tiles", a.tiles, Tiles::balanced, {{"balanced", Tiles::balanced}, {"ceil", Tiles::ceil}});
  options.has_rows_per_rank = a.rows_per_rank.has_value();
  if (a.rows_per_rank) options.rows_per_rank = parse_integers("--rows-per-rank", *a.rows_per_rank);
  options.overdecompose = number("--overdecompose", a.overdecompose, 1).value_or(1);
  options.rows = row_range(a.rows);
  options.select = selection(a.select);
  options.dtype = dtype(a.dtype);
  options.casting = choice("--casting", a.casting, Casting::lossless,
                           {{"lossless", Casting::lossless}, {"checked", Casting::checked}, {"lossy", Casting::lossy}});
  options.budget_bytes = bytes("--budget", a.budget);
  options.verify = choice("--verify", a.verify, Verify::none, {{"none", Verify::none}, {"crc", Verify::crc}});
  options.deadline_s = deadline(a.deadline);
  if (a.identity) {
    options.identity = choice("--identity", a.identity, IdentityRule::strict,
                              {{"strict", IdentityRule::strict}, {"size_mtime", IdentityRule::size_mtime}});
  }
  options.device = a.device.value_or("");
  return options;
}

VerifyOptions verify_options(const Arguments& a) {
  VerifyOptions options;
  options.open = open_options(a);
  options.io = io_options(a);
  options.write_manifest = a.write_manifest;
  options.require_manifest = a.require_manifest;
  options.structure_only = a.structure_only;
  options.budget_bytes = bytes("--budget", a.budget);
  options.deadline_s = deadline(a.deadline);
  return options;
}

WriteOptions write_options(const Arguments& a) {
  WriteOptions options;
  if (!a.shape) options.shards = kDefaultShards;
  options.shape = a.shape ? parse_integers("--shape", *a.shape) : Shape{kDefaultShape.begin(), kDefaultShape.end()};
  for (const std::int64_t extent : options.shape) {
    if (extent < 0) bad_value("--shape", *a.shape, "extents of 0 or more, such as 4000000,8");
  }
  options.shards = number("--shards", a.shards, 1).value_or(options.shards);
  options.dtype = dtype(a.dtype).value_or(options.dtype);
  options.seed = static_cast<std::uint64_t>(number("--seed", a.seed).value_or(0));
  options.rows = a.rows.value_or(options.rows);
  options.fill = word("--fill", a.fill, {"random", "index"});
  if (options.fill.empty()) options.fill = "random";
  options.format = a.format.value_or(options.format);
  options.force = a.force;
  return options;
}

std::int64_t rank_count(const Arguments& a, std::int64_t otherwise) {
  const std::int64_t most = a.command == "load" ? kMostThreadRanks : kMostPlannedRanks;
  return number("--ranks", a.ranks, 1, most).value_or(otherwise);
}

std::optional<std::int64_t> only_rank(const Arguments& a, std::int64_t ranks) {
  return number("--rank", a.rank, 0, ranks - 1);
}

}  // namespace loadstone::cli
