#include "loader/report.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace loadstone::loader {
namespace {

constexpr std::size_t kKeptFaults = 10'000;  // E4

struct KindCode {
  std::string_view prefix;  ///< a whole kind, or the start of several, up to and with a dot
  Code code;
};

// The first that fits; all else is a mismatch.
constexpr std::array kCodes = {
    KindCode{"path.denied", Code::io},
    KindCode{"path.", Code::not_found},
    KindCode{"shard.unreadable", Code::io},
    KindCode{"shard.not_regular", Code::not_regular},
    KindCode{"shard.format", Code::malformed},
    KindCode{"shard.truncated", Code::truncated},
    KindCode{"shard.changed", Code::changed},
    KindCode{"raw.remainder", Code::truncated},
    KindCode{"raw.layout", Code::bad_argument},
    KindCode{"header.", Code::malformed},
    KindCode{"manifest.", Code::malformed},
    KindCode{"sidecar.", Code::malformed},
    KindCode{"dtype.object", Code::refused},
    KindCode{"dtype.", Code::unsupported},
    KindCode{"container.unsupported", Code::unsupported},
    KindCode{"paths.outside_root", Code::outside_root},
    KindCode{"paths.too_many", Code::too_large},
    KindCode{"complete.too_large", Code::too_large},
    KindCode{"argument", Code::bad_argument},
    KindCode{"environment", Code::bad_argument},
    KindCode{"environment.", Code::bad_argument},
};

// Rows of the table of section 3. `raw.` stands with the truncated, files that describe shards with the paths.
constexpr std::array<std::array<std::string_view, 6>, 8> kTable = {{
    {"path."},
    {"shard.unreadable", "shard.not_regular"},
    {"shard.format", "header.", "dtype."},
    {"shard.truncated", "raw."},
    {"shard.trailing", "shard.scalar"},
    {"shard.ndim", "shard.trailing_shape", "shard.dtype", "shard.rows", "shard.data_offset"},
    {"names.", "paths.", "container.", "manifest.", "sidecar."},
    {"complete."},
}};

bool fits(std::string_view kind, std::string_view name) noexcept {
  if (name.empty()) return false;
  // "shard.trailing" must not take "shard.trailing_shape" for its own.
  return name.back() == '.' ? kind.starts_with(name) : kind == name;
}

std::size_t row_of(std::string_view kind) noexcept {
  for (std::size_t row = 0; row < kTable.size(); ++row) {
    if (std::ranges::any_of(kTable[row], [&](std::string_view name) { return fits(kind, name); })) return row;
  }
  return kTable.size();
}

auto place_of(const Fault& fault) {
  return std::tuple(row_of(fault.kind), fault.shard.value_or(std::numeric_limits<std::int64_t>::max()),
                    std::string_view(fault.kind), std::string_view(fault.path), std::string_view(fault.message));
}

}  // namespace

Code code_of(std::string_view kind) noexcept {
  const auto* found = std::ranges::find_if(kCodes, [&](const KindCode& entry) {
    return entry.prefix.back() == '.' ? kind.starts_with(entry.prefix) : kind == entry.prefix;
  });
  return found == kCodes.end() ? Code::mismatch : found->code;
}

Fault make_fault(std::string_view kind, std::string message, std::string remedy) {
  Fault fault;
  fault.code = code_of(kind);
  fault.kind = kind;
  fault.message = std::move(message);
  fault.remedy = std::move(remedy);
  return fault;
}

Fault same_file(const std::string& first, const std::string& second) {
  Fault fault = make_fault("paths.duplicate", fmt::format("it is the same file as {}", escape_path(first)),
                           "Give each file once.");
  fault.path = second;
  return fault;
}

void add_faults(std::vector<Fault>& target, std::vector<Fault> faults, const std::string& path) {
  for (Fault& fault : faults) {
    if (fault.path.empty()) fault.path = path;
    target.push_back(std::move(fault));
  }
}

void sort_report(std::vector<Fault>& faults) {
  std::ranges::sort(faults, [](const Fault& a, const Fault& b) { return place_of(a) < place_of(b); });
}

Failure make_report(std::vector<Fault> faults) {
  sort_report(faults);
  Failure failure;
  failure.total_faults = static_cast<std::int64_t>(faults.size());
  if (faults.size() > kKeptFaults) faults.resize(kKeptFaults);
  failure.faults = std::move(faults);
  failure.phase = "discover";
  return failure;
}

Fault differs_from_manifest(const Dataset& dataset, std::int64_t shard, std::string_view what,
                            const std::string& wanted, const std::string& got) {
  return {.code = Code::checksum,
          .kind = "verify.differs",
          .message = fmt::format("the {} is {}, the manifest says {}", what, got, wanted),
          .remedy = "Restore this shard, or record it anew: " + named(Option::record, "DIR") + ".",
          .shard = shard,
          .path = dataset.file_of(dataset.shards[static_cast<std::size_t>(shard)]).path,
          .wanted = wanted,
          .got = got,
          .set_by = "manifest"};
}

}  // namespace loadstone::loader
