// Options in remedies: named once by what they are, spelled by whoever shows the sentence (`Remedy::text`).
#pragma once

#include <loadstone/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loadstone {

/// An option of a call, under the name that `loadstone probe --settings` and Fault::item give it.
enum class Option : std::uint8_t {
  budget,
  deadline,
  identity,
  io_backend,
  io_direct,
  io_mapped,
  io_huge_pages,
  io_page_cache,
  io_landing,
  io_fs_class,
  io_request,
  io_depth,
  io_threads,
  io_open_files,
  io_retries,
  roots,
  // how a dataset is found
  format,
  order,
  first_index,
  ignore,
  sidecar,
  trailing_shape,
  byteorder,
  header_bytes,
  max_header_bytes,
  allow_tail,
  // of `verify`
  write_manifest,
  require_manifest,
  structure_only,
  // how it is laid out
  rows,
  select,
  dtype,
  casting,
  tiles,
  rows_per_rank,
  overdecompose,
  device,
  // of `plan`
  rank,
  // of `write`
  shape,
  row_rule,
  fill,
  force,
  // a call: verify with write_manifest, on the directory given as the value
  record,
};

/// A place in a remedy that names the option alone: "--budget".
std::string named(Option option);
/// One that names it with a value: "--budget 64KiB". Bytes are given as a plain number.
std::string named(Option option, std::string_view value);
std::string named(Option option, std::int64_t value);
/// The option of a setting, such as "io.backend".
std::optional<Option> option_of(std::string_view setting) noexcept;

/// How one option is written by each audience.
struct OptionWords {
  enum class Form : std::uint8_t {
    number,
    bytes,
    text,
    word,    ///< an enumerator in C++
    list,    ///< braces in C++, a tuple in Python
    on,      ///< true, or a flag without a value
    phrase,  ///< the three texts are whole phrases, with {} for the value
  };
  Option option;
  std::string_view name;  ///< equal for all: what settings and Fault::item say
  std::string_view cpp;
  std::string_view python;
  std::string_view flag;
  Form form;
  std::string_view enumeration;  ///< of Form::word
};
/// One row an option, in the order of the enumeration.
std::span<const OptionWords> option_words() noexcept;

/// Every place that names an option, spelled for an audience; all else as it stands.
std::string spelled(std::string_view marked, Audience audience);

}  // namespace loadstone
