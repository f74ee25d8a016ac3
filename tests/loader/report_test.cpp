// Codes and order of the report (DS17, section 3).
#include "loader/report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace loadstone::loader {
namespace {

TEST(Report, CodesAreThoseOfTheTable) {
  for (const auto& [kind, code] : std::vector<std::pair<std::string, Code>>{{"path.missing", Code::not_found},
                                                                            {"path.not_directory", Code::not_found},
                                                                            {"path.denied", Code::io},
                                                                            {"shard.unreadable", Code::io},
                                                                            {"shard.not_regular", Code::not_regular},
                                                                            {"paths.outside_root", Code::outside_root},
                                                                            {"shard.format", Code::malformed},
                                                                            {"header.syntax", Code::malformed},
                                                                            {"manifest.version", Code::malformed},
                                                                            {"sidecar.syntax", Code::malformed},
                                                                            {"shard.truncated", Code::truncated},
                                                                            {"raw.remainder", Code::truncated},
                                                                            {"dtype.object", Code::refused},
                                                                            {"dtype.structured", Code::unsupported},
                                                                            {"shard.changed", Code::changed},
                                                                            {"shard.trailing_shape", Code::mismatch},
                                                                            {"names.hole", Code::mismatch},
                                                                            {"paths.duplicate", Code::mismatch},
                                                                            {"complete.count", Code::mismatch}}) {
    EXPECT_EQ(code_of(kind), code) << kind;
  }
}

TEST(Report, DS17SortedByTheTableThenByShard) {
  const std::vector<std::pair<std::string, int>> wanted = {
      {"path.missing", -1},        {"shard.not_regular", 3}, {"header.syntax", 1}, {"shard.format", 2},
      {"shard.truncated", 0},      {"shard.trailing", 1},    {"shard.scalar", 5},  {"shard.dtype", 2},
      {"shard.trailing_shape", 2}, {"shard.ndim", 4},        {"names.hole", -1},   {"paths.duplicate", -1},
      {"complete.count", -1}};
  std::vector<Fault> faults;
  for (auto entry = wanted.rbegin(); entry != wanted.rend(); ++entry) {
    faults.push_back(make_fault(entry->first, "m", "r"));
    if (entry->second >= 0) faults.back().shard = entry->second;
  }
  sort_report(faults);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(faults[i].kind, wanted[i].first) << i;
}

TEST(Report, E4AtMost10000FaultsAreKept) {
  std::vector<Fault> faults(10'001, make_fault("shard.truncated", "m", "r"));
  const Failure failure = make_report(std::move(faults));
  EXPECT_EQ(failure.faults.size(), 10'000U);
  EXPECT_EQ(failure.total_faults, 10'001);
  EXPECT_EQ(failure.phase, "discover");
  EXPECT_EQ(failure.rank, -1);
}

}  // namespace
}  // namespace loadstone::loader
