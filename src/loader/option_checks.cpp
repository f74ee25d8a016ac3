#include "loader/option_checks.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/driver.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadstone::loader {
namespace {

/// Two options that were both set, of which only one can be meant.
Fault excluded(std::string_view item, std::string message, Option one, Option other) {
  Fault fault =
      make_fault("argument", std::move(message), fmt::format("Leave {} or {} out.", named(one), named(other)));
  fault.item = item;
  return fault;
}

void check_format(const OpenOptions& options, std::vector<Fault>& faults) {
  if (options.format.empty()) return;
  auto driver = formats::find_driver(options.format);
  if (!driver.ok()) faults.push_back(std::move(driver).status().take().faults.front());
}

/// An option that describes raw shards.
struct RawOption {
  bool given = false;
  std::string_view item;
  std::string_view what;
  Option option = Option::format;
};

std::array<RawOption, 4> raw_options(const OpenOptions& options) {
  return {{{options.trailing_shape.has_value(), "trailing_shape", "the shape of a row", Option::trailing_shape},
           {!options.byteorder.empty(), "byteorder", "a byte order", Option::byteorder},
           {options.header_bytes.has_value(), "header_bytes", "the length of what is before the data",
            Option::header_bytes},
           {options.allow_tail, "allow_tail", "that a tail is no fault", Option::allow_tail}}};
}

/// Other formats have a header that says what these would.
void check_raw(const OpenOptions& options, std::vector<Fault>& faults) {
  if (options.format.empty() || options.format == "raw") return;
  for (const RawOption& raw : raw_options(options)) {
    if (!raw.given) continue;
    faults.push_back(excluded(
        raw.item,
        fmt::format("{} is said of raw shards, but the format was set to {}", raw.what, escape(options.format)),
        Option::format, raw.option));
  }
}

void check_order(const OpenOptions& options, std::vector<Fault>& faults) {
  if (options.order != Order::given || !(options.first_index || options.any_first_index)) return;
  faults.push_back(excluded("first_index", "in the order given no number of a name is looked at, so none is the first",
                            Option::order, Option::first_index));
}

Status told(std::vector<Fault> faults) { return faults.empty() ? Status() : Status(failure_of(std::move(faults))); }

}  // namespace

Status check_options(const OpenOptions& options) {
  std::vector<Fault> faults;
  check_format(options, faults);
  check_raw(options, faults);
  check_order(options, faults);
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): a Status owns its failure; the check loses it on the way
  return told(std::move(faults));
}

std::vector<Fault> idle_options(const OpenOptions& options, std::string_view format) {
  std::vector<Fault> faults;
  if (format.empty() || format == "raw" || !options.format.empty()) return faults;
  for (const RawOption& raw : raw_options(options)) {
    if (!raw.given) continue;
    Fault fault = make_fault(
        "argument", fmt::format("{} is said of raw shards, but these are {}", raw.what, format),
        fmt::format("Leave {} out, or set {} if they are raw.", named(raw.option), named(Option::format, "raw")));
    fault.item = raw.item;
    faults.push_back(std::move(fault));
  }
  return faults;
}

Status check_options(const VerifyOptions& options) {
  std::vector<Fault> faults;
  if (options.write_manifest && options.structure_only) {
    faults.push_back(excluded("structure_only", "a manifest records sums of the data, and no data was to be read",
                              Option::write_manifest, Option::structure_only));
  }
  if (options.write_manifest && options.require_manifest) {
    faults.push_back(excluded("require_manifest", "the manifest that is to be written cannot be there before",
                              Option::write_manifest, Option::require_manifest));
  }
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): a Status owns its failure; the check loses it on the way
  return told(std::move(faults));
}

}  // namespace loadstone::loader
