#include "layout/brute.hpp"

#include <loadstone/distribution.hpp>
#include <loadstone/error.hpp>

#include <gtest/gtest.h>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using Kind = AxisRule::Kind;

const Shape kShape{10, 6};

TEST(DistributionText, IsThatOfTheCommandLine_ARA7) {
  const std::vector<std::pair<std::string, Distribution>> all{
      {"split=1", Distribution::even(kShape, 1, 4)},
      {"counts=0:1,3,3,3", Distribution::counts(kShape, 0, std::vector<std::int64_t>{1, 3, 3, 3})},
      {"cyclic=1:2", Distribution::cyclic(kShape, 1, 2, 4)},
      {"replicated", Distribution::replicated(kShape, 4)},
      {"mesh=2x2:0<-0,1<-1",
       Distribution::mesh(kShape, {{2, 2}, {}}, {{Kind::even, {}, 0, {0}}, {Kind::even, {}, 0, {1}}})},
      {"mesh=4@1/2/3/0:0<-0", Distribution::mesh(kShape, {{4}, {1, 2, 3, 0}}, {{Kind::even, {}, 0, {0}}, {}})},
      {"mesh=2x2:0<-1+0:counts=1/2/3/4",
       Distribution::mesh(kShape, {{2, 2}, {}}, {{Kind::cuts, {0, 1, 3, 6, 10}, 0, {1, 0}}, {}})},
      {"mesh=2x2:1<-1:cyclic=3", Distribution::mesh(kShape, {{2, 2}, {}}, {{}, {Kind::cyclic, {}, 3, {1}}})},
      {"mesh=2x2", Distribution::mesh(kShape, {{2, 2}, {}}, {{}, {}})},
  };
  for (const auto& [text, distribution] : all) {
    EXPECT_EQ(distribution.to_string(), text);
    EXPECT_EQ(Distribution::parse(text, kShape, 4), distribution) << text;
  }
}

TEST(DistributionText, TakesNegativeAxesAndNone) {
  EXPECT_EQ(Distribution::parse("split=-1", kShape, 4), Distribution::even(kShape, 1, 4));
  EXPECT_EQ(Distribution::parse("split=none", kShape, 4), Distribution::replicated(kShape, 4));
}

TEST(DistributionText, RoundTrips_ARA7) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 2000; ++round) {
    const Distribution distribution = random_spec(random, random_shape(random, 3, 6), pick(random, 1, 7)).make();
    const auto again = Distribution::parse(distribution.to_string(), distribution.shape(), distribution.ranks());
    ASSERT_EQ(again, distribution) << distribution.to_string();
    ASSERT_EQ(again.hash(), distribution.hash());
  }
}

TEST(DistributionText, RefusesEverythingElse_ARA11) {
  for (const char* const text : {"",
                                 "split",
                                 "split=",
                                 "split=x",
                                 "split=2",
                                 "split=1,",
                                 "counts=0",
                                 "counts=0:",
                                 "counts=0:1,9",
                                 "counts=0:1,a",
                                 "counts=0:1,3,3,3,0",
                                 "counts=0:9223372036854775807,9223372036854775807,6,6",
                                 "cyclic=0",
                                 "cyclic=0:0",
                                 "cyclic=0:1:2",
                                 "mesh=",
                                 "mesh=2x3",
                                 "mesh=2x2:0",
                                 "mesh=2x2:0<-",
                                 "mesh=2x2:2<-0",
                                 "mesh=2x2:0<-0,0<-1",
                                 "mesh=2x2:0<-0:counts=1",
                                 "mesh=2x2:0<-0:even=1",
                                 "mesh=2x2@0/1/2:0<-0",
                                 "rows=3",
                                 "split= 1",
                                 "Split=1"}) {
    try {
      Distribution::parse(text, kShape, 4);
      ADD_FAILURE() << "\"" << text << "\" was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_argument) << text;
      EXPECT_FALSE(error.faults()[0].remedy.empty()) << text;
    }
  }
}

TEST(DistributionText, HashesAreTheSameEverywhere_ARA7) {
  EXPECT_EQ(Distribution::even({10, 2}, 0, 4).hash(), "3e4558735b6807a7d06fd4dac95d91f1");
  EXPECT_EQ(Distribution::cuts({10, 2}, 0, {0, 3, 6, 9, 10}).hash(), "107d5f35b5210de73f82eb2947ad01f2");
  EXPECT_EQ(Distribution::replicated({}, 1).hash(), "f728509bb7a79ef8fe194de710e6c84e");
}

}  // namespace
}  // namespace loadstone
