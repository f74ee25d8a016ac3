#include "core/option_words.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <ostream>

namespace loadstone {
namespace {

using Form = OptionWords::Form;

// Control bytes that no escaped text holds: a place is begin, name, [value], end.
constexpr char kBegin = '\x01';
constexpr char kValue = '\x02';
constexpr char kEnd = '\x03';

constexpr std::array kWords = {
    OptionWords{Option::budget, "budget", "budget_bytes", "budget", "--budget", Form::bytes},
    OptionWords{Option::deadline, "deadline_s", "deadline_s", "deadline_s", "--deadline", Form::number},
    OptionWords{Option::identity, "identity", "identity", "identity", "--identity", Form::word, "IdentityRule"},
    OptionWords{Option::io_backend, "io.backend", "io.backend", "io_backend", "--io-backend", Form::text},
    OptionWords{Option::io_direct, "io.direct", "io.direct", "io_direct", "--io-direct", Form::text},
    OptionWords{Option::io_mapped, "io.mapped", "io.mapped", "io_mapped", "--io-mapped", Form::text},
    OptionWords{Option::io_huge_pages, "io.huge_pages", "io.huge_pages", "io_huge_pages", "--io-huge-pages",
                Form::text},
    OptionWords{Option::io_page_cache, "io.page_cache", "io.page_cache", "io_page_cache", "--io-page-cache",
                Form::text},
    OptionWords{Option::io_landing, "io.landing", "io.landing", "io_landing", "--io-landing", Form::text},
    OptionWords{Option::io_fs_class, "io.fs_class", "io.fs_class", "io_fs_class", "--io-fs-class", Form::text},
    OptionWords{Option::io_request, "io.request", "io.request_bytes", "io_request_bytes", "--io-request", Form::bytes},
    OptionWords{Option::io_depth, "io.depth", "io.depth", "io_depth", "--io-depth", Form::number},
    OptionWords{Option::io_threads, "io.threads", "io.threads", "io_threads", "--threads", Form::number},
    OptionWords{Option::io_open_files, "io.open_files", "io.open_files", "io_open_files", "--io-open-files",
                Form::number},
    OptionWords{Option::io_retries, "io.retries", "io.retries", "io_retries", "--io-retries", Form::number},
    OptionWords{Option::roots, "roots", "roots", "roots", "--roots", Form::text},
    OptionWords{Option::format, "format", "format", "format", "--format", Form::text},
    OptionWords{Option::order, "order", "order", "order", "--order", Form::word, "Order"},
    OptionWords{Option::first_index, "first_index", "first_index", "first_index", "--first-index", Form::number},
    OptionWords{Option::ignore, "ignore", "ignore", "ignore", "--ignore", Form::text},
    OptionWords{Option::sidecar, "sidecar", "sidecar", "sidecar", "--sidecar", Form::text},
    OptionWords{Option::trailing_shape, "trailing_shape", "trailing_shape", "trailing_shape", "--trailing-shape",
                Form::list},
    OptionWords{Option::byteorder, "byteorder", "byteorder", "byteorder", "--byteorder", Form::text},
    OptionWords{Option::header_bytes, "header_bytes", "header_bytes", "header_bytes", "--header-bytes", Form::number},
    OptionWords{Option::max_header_bytes, "max_header_bytes", "max_header_bytes", "max_header_bytes",
                "--max-header-bytes", Form::number},
    OptionWords{Option::allow_tail, "allow_tail", "allow_tail", "allow_tail", "--allow-tail", Form::on},
    OptionWords{Option::write_manifest, "write_manifest", "write_manifest", "write_manifest", "--write-manifest",
                Form::on},
    OptionWords{Option::require_manifest, "require_manifest", "require_manifest", "require_manifest",
                "--require-manifest", Form::on},
    OptionWords{Option::structure_only, "structure_only", "structure_only", "structure_only", "--structure-only",
                Form::on},
    OptionWords{Option::rows, "rows", "rows", "rows", "--rows", Form::text},
    OptionWords{Option::select, "select", "select", "select", "--select", Form::text},
    OptionWords{Option::dtype, "dtype", "dtype", "dtype", "--dtype", Form::text},
    OptionWords{Option::casting, "casting", "casting", "casting", "--casting", Form::word, "Casting"},
    OptionWords{Option::tiles, "tiles", "tiles", "tiles", "--tiles", Form::word, "Tiles"},
    OptionWords{Option::rows_per_rank, "rows_per_rank", "rows_per_rank", "rows_per_rank", "--rows-per-rank",
                Form::list},
    OptionWords{Option::overdecompose, "overdecompose", "overdecompose", "overdecompose", "--overdecompose",
                Form::number},
    OptionWords{Option::device, "device", "device", "device", "--device", Form::text},
    OptionWords{Option::rank, "rank", "only_rank", "rank", "--rank", Form::number},
    OptionWords{Option::shape, "shape", "shape", "shape", "--shape", Form::list},
    OptionWords{Option::row_rule, "row_rule", "rows", "rows", "--rows", Form::text},
    OptionWords{Option::fill, "fill", "fill", "fill", "--fill", Form::text},
    OptionWords{Option::force, "force", "force", "force", "--force", Form::on},
    OptionWords{Option::record, "record", "verify({{{}}}, {{.write_manifest = true}})",
                "loadstone.verify({}, write_manifest=True)", "loadstone verify --write-manifest {}", Form::phrase},
};

const OptionWords* find(std::string_view name) noexcept {
  for (const OptionWords& words : kWords) {
    if (words.name == name) return &words;
  }
  return nullptr;
}

/// "64KiB" where the number is a whole multiple, else the digits.
std::string short_bytes(std::string_view digits) {
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (error != std::errc{} || end != digits.data() + digits.size() || bytes <= 0) return std::string(digits);
  constexpr std::array kUnits{"", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

std::string in_cpp(const OptionWords& words, std::string_view value) {
  switch (words.form) {
    case Form::text:
      return fmt::format("{} = \"{}\"", words.cpp, value);
    case Form::word:
      return fmt::format("{} = {}::{}", words.cpp, words.enumeration, value);
    case Form::list:
      return fmt::format("{} = {{{}}}", words.cpp, value);
    default:
      return fmt::format("{} = {}", words.cpp, value);
  }
}

std::string in_python(const OptionWords& words, std::string_view value) {
  const std::string bytes = words.form == Form::bytes ? short_bytes(value) : "";
  switch (words.form) {
    case Form::text:
    case Form::word:
      return fmt::format("{}=\"{}\"", words.python, value);
    case Form::list:
      return fmt::format("{}=({})", words.python, value);
    case Form::bytes:
      return is_number(bytes) ? fmt::format("{}={}", words.python, bytes)
                              : fmt::format("{}=\"{}\"", words.python, bytes);
    default:
      return fmt::format("{}={}", words.python, value);
  }
}

std::string in_flags(const OptionWords& words, std::string_view value) {
  std::string text = words.form == Form::bytes ? short_bytes(value) : std::string(value);
  if (words.form == Form::list) std::erase(text, ' ');
  return fmt::format("{} {}", words.flag, text);
}

std::string_view name_for(const OptionWords& words, Audience audience) {
  return audience == Audience::cpp ? words.cpp : audience == Audience::python ? words.python : words.flag;
}

std::string phrase(const OptionWords& words, std::string_view value, Audience audience) {
  const bool quoted = audience != Audience::command && value != "DIR";
  const std::string argument = quoted ? fmt::format("\"{}\"", value) : std::string(value);
  return fmt::format(fmt::runtime(name_for(words, audience)), argument);
}

std::string switched_on(const OptionWords& words, Audience audience) {
  if (audience == Audience::command) return std::string(words.flag);
  return audience == Audience::cpp ? fmt::format("{} = true", words.cpp) : fmt::format("{}=True", words.python);
}

/// One place: what stands between kBegin and kEnd.
std::string spelled_place(std::string_view place, Audience audience) {
  const std::size_t split = place.find(kValue);
  const OptionWords* const words = find(place.substr(0, split));
  if (words == nullptr) return std::string(place.substr(0, split));
  if (words->form == Form::on) return switched_on(*words, audience);
  if (split == std::string_view::npos) return std::string(name_for(*words, audience));
  const std::string_view value = place.substr(split + 1);
  if (words->form == Form::phrase) return phrase(*words, value, audience);
  return audience == Audience::cpp      ? in_cpp(*words, value)
         : audience == Audience::python ? in_python(*words, value)
                                        : in_flags(*words, value);
}

}  // namespace

std::string named(Option option) {
  return fmt::format("{}{}{}", kBegin, kWords[static_cast<std::size_t>(option)].name, kEnd);
}

std::string named(Option option, std::string_view value) {
  return fmt::format("{}{}{}{}{}", kBegin, kWords[static_cast<std::size_t>(option)].name, kValue, value, kEnd);
}

std::string named(Option option, std::int64_t value) { return named(option, fmt::format("{}", value)); }

std::optional<Option> option_of(std::string_view setting) noexcept {
  const OptionWords* const words = find(setting);
  return words == nullptr ? std::nullopt : std::optional(words->option);
}

std::span<const OptionWords> option_words() noexcept { return kWords; }

std::string spelled(std::string_view marked, Audience audience) {
  std::string text;
  while (true) {
    const std::size_t begin = marked.find(kBegin);
    text += marked.substr(0, begin);
    if (begin == std::string_view::npos) return text;
    const std::size_t end = std::min(marked.find(kEnd, begin), marked.size());
    text += spelled_place(marked.substr(begin + 1, end - begin - 1), audience);
    marked.remove_prefix(std::min(end + 1, marked.size()));
  }
}

std::string Remedy::text(Audience audience) const { return spelled(marked_, audience); }

std::ostream& operator<<(std::ostream& out, const Remedy& remedy) { return out << remedy.text(); }

}  // namespace loadstone
