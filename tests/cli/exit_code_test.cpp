#include "cli/exit_code.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace loadstone::cli {
namespace {

Failure of(const std::vector<std::pair<Code, std::string>>& faults) {
  Failure failure;
  for (const auto& [code, kind] : faults) {
    Fault fault;
    fault.code = code;
    fault.kind = kind;
    failure.faults.push_back(fault);
  }
  return failure;
}

TEST(ExitCode, Section10EveryCodeHasOne) {
  const std::vector<std::pair<const char*, int>> table{
      {"not_found", 3},   {"not_regular", 3}, {"outside_root", 3},  {"malformed", 3},   {"truncated", 3},
      {"too_large", 3},   {"no_data", 3},     {"mismatch", 3},      {"checksum", 5},    {"refused", 8},
      {"unsupported", 8}, {"lossy", 2},       {"bad_argument", 2},  {"io", 7},          {"changed", 7},
      {"no_space", 7},    {"budget", 6},      {"out_of_memory", 6}, {"cancelled", 130}, {"deadline", 9},
      {"comm", 9},        {"released", 1},    {"internal", 1}};
  ASSERT_EQ(table.size(), static_cast<std::size_t>(Code::internal) + 1);
  for (const auto& [name, wanted] : table) {
    const std::optional<Code> code = parse_code(name);
    ASSERT_TRUE(code) << name;
    EXPECT_EQ(exit_code_of(of({{*code, "some.kind"}})), wanted) << name;
  }
}

TEST(ExitCode, Section10IncompleteIsFourOnlyForItsKinds) {
  for (const char* kind : {"complete.count", "complete.rows", "complete.missing", "complete.unproven", "names.hole",
                           "names.first_index"}) {
    EXPECT_EQ(exit_code_of(of({{Code::mismatch, kind}})), 4) << kind;
  }
  for (const char* kind : {"names.pattern", "names.duplicate", "shard.ndim", "ranks.differ"}) {
    EXPECT_EQ(exit_code_of(of({{Code::mismatch, kind}})), 3) << kind;
  }
}

TEST(ExitCode, Section10OfSeveralKindsThreeWinsThenEight) {
  const std::pair<Code, std::string> faulty{Code::truncated, "shard.truncated"}, object{Code::refused, "dtype.object"},
      hole{Code::mismatch, "names.hole"}, unreadable{Code::io, "shard.unreadable"},
      differs{Code::checksum, "verify.differs"}, structured{Code::unsupported, "dtype.structured"};
  EXPECT_EQ(exit_code_of(of({object, faulty, hole})), 3);
  EXPECT_EQ(exit_code_of(of({hole, faulty})), 3);
  EXPECT_EQ(exit_code_of(of({object, structured})), 8);
  EXPECT_EQ(exit_code_of(of({hole, object})), 8);
  EXPECT_EQ(exit_code_of(of({unreadable, faulty})), 3);
  EXPECT_EQ(exit_code_of(of({unreadable, hole})), 7);
  EXPECT_EQ(exit_code_of(of({hole, differs, differs})), 5);
}

TEST(ExitCode, T30TheSignalDecides) {
  const Failure stopped = of({{Code::cancelled, "cancelled"}});
  EXPECT_EQ(exit_code_of(stopped), 130);
  EXPECT_EQ(exit_code_of(stopped, SIGINT), 130);
  EXPECT_EQ(exit_code_of(stopped, SIGTERM), 143);
  EXPECT_EQ(exit_code_of(of({{Code::io, "shard.unreadable"}}), SIGTERM), 7);
}

TEST(ExitCode, AFailureWithoutFaultsIsABug) { EXPECT_EQ(exit_code_of(Failure{}), 1); }

}  // namespace
}  // namespace loadstone::cli
