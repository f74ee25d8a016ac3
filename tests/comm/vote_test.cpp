#include "comm/vote.hpp"

#include "comm/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace loadstone::comm {
namespace {

std::int64_t vote(Code code, int rank, const char* kind = "test") { return vote_of(one_fault(code, kind, ""), rank); }

TEST(Vote, A3_OrderIsSeverityThenCodeThenLowestRank) {
  const std::vector<std::int64_t> votes{
      vote_of({}, 0),
      vote(Code::cancelled, 0, kPeerFailed),
      vote(Code::cancelled, 7),
      vote(Code::cancelled, 0),
      vote(Code::not_found, 2147483647),
      vote(Code::not_found, 0),
      vote(Code::truncated, 3),
      vote(Code::internal, 9),
      vote(Code::comm, 5),
      vote(Code::comm, 4),
  };
  EXPECT_TRUE(std::is_sorted(votes.begin(), votes.end()));
  EXPECT_EQ(std::adjacent_find(votes.begin(), votes.end()), votes.end()) << "no two are equal";
}

TEST(Vote, TellsWhatItWasMadeOf) {
  for (const int rank : {0, 1, 100'000, 2147483647}) {
    const std::int64_t number = vote(Code::budget, rank);
    EXPECT_EQ(severity_of(number), Severity::error);
    EXPECT_EQ(code_of(number), Code::budget);
    EXPECT_EQ(rank_of(number), rank);
  }
  EXPECT_EQ(severity_of(vote_of({}, 3)), Severity::none);
}

}  // namespace
}  // namespace loadstone::comm
