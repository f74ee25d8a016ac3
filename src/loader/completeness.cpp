#include "loader/completeness.hpp"

#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/glob.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadstone::loader {
namespace {

/// The sum of all rows; empty if a shard is faulty or the sum passes 63 bits.
std::optional<std::int64_t> rows_of(std::span<const Record> records) {
  std::optional<std::int64_t> rows = 0;
  for (const Record& record : records) {
    if (!record.sound()) return std::nullopt;
    rows = checked_add(*rows, record.rows);
    if (!rows) return std::nullopt;
  }
  return rows;
}

Fault differing(std::string_view kind, std::string_view noun, std::int64_t wanted, std::int64_t got,
                const std::string& set_by) {
  Fault fault =
      make_fault(kind, fmt::format("{} expected by the {}, {} found", counted(wanted, noun), set_by, grouped(got)),
                 got < wanted ? "Bring the missing ones back, or correct the expectation."
                              : "Move the surplus away, or correct the expectation.");
  fault.wanted = wanted;
  fault.got = got;
  fault.set_by = set_by;
  return fault;
}

bool is_explained(const std::vector<Fault>& faults, std::int64_t wanted) {
  return std::ranges::any_of(faults, [&](const Fault& fault) {
    return (fault.kind == "names.hole" || fault.kind == "complete.count") && fault.wanted == Value(wanted);
  });
}

}  // namespace

std::vector<Fault> check_counts(const Found& found, std::span<const Record> records, const OpenOptions& options) {
  std::vector<Fault> faults;
  const auto shards = static_cast<std::int64_t>(records.size());
  for (const Expectation& expected : found.counts) {
    if (records.empty() || expected.wanted == shards) continue;
    if (is_explained(found.faults, expected.wanted) || is_explained(faults, expected.wanted)) continue;
    faults.push_back(differing("complete.count", "shard", expected.wanted, shards, expected.set_by));
  }
  const std::optional<std::int64_t> rows = records.empty() ? std::nullopt : rows_of(records);
  if (options.expect_rows && rows && *rows != *options.expect_rows) {
    faults.push_back(differing("complete.rows", "row", *options.expect_rows, *rows, "argument"));
  }
  for (Fault& fault : faults) fault.path = found.directory;
  return faults;
}

Proof proof_of(const Found& found, const OpenOptions& options) noexcept {
  const bool expected = options.expect_shards.has_value() || options.expect_rows.has_value();
  return expected ? std::max(found.proof, Proof::counts) : found.proof;
}

std::optional<Fault> unproven(const Found& found, Proof proof) {
  if (proof != Proof::names || found.files.empty()) return std::nullopt;
  Fault fault = make_fault(
      "complete.unproven",
      fmt::format("cannot prove that {} is the last shard", escape(base_name(found.file_of(found.shards() - 1).name))),
      fmt::format("Record it: {}.", named(Option::record, found.directory.empty() ? "DIR" : escape(found.directory))));
  fault.path = found.directory;
  return fault;
}

std::optional<Fault> size_fault(const Stated& stated, const FileIdentity& identity, const std::string& set_by) {
  const bool opened = identity.inode != 0;
  if (!opened || !stated.bytes || *stated.bytes == identity.size) return std::nullopt;
  Fault fault = make_fault(
      "complete.size",
      fmt::format("the file has {} bytes, the {} states {}", grouped(identity.size), set_by, grouped(*stated.bytes)),
      "Bring back the file that was recorded, or record this one: " + named(Option::record, "DIR") + ".");
  fault.wanted = *stated.bytes;
  fault.got = identity.size;
  fault.set_by = set_by;
  return fault;
}

}  // namespace loadstone::loader
