#include "layout/brute.hpp"

#include <loadstone/distribution.hpp>
#include <loadstone/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using Kind = AxisRule::Kind;
using testing::ElementsAre;

std::vector<std::int64_t> lengths(const Distribution& distribution, std::int64_t axis = 0) {
  std::vector<std::int64_t> found;
  for (std::int64_t rank = 0; rank < distribution.ranks(); ++rank) {
    found.push_back(distribution.interval(rank, axis).size());
  }
  return found;
}

/// The error of a call that must fail with bad_argument.
template <class Call>
Error refused(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::bad_argument) << error.what();
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(Failure{{Fault{}}, 1, {}, -1, -1, {}});
}

TEST(Distribution, EvenLengths_ARA1_DS43) {
  EXPECT_THAT(lengths(Distribution::even({10}, 0, 4)), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(lengths(Distribution::even({7}, 0, 4)), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(lengths(Distribution::even({2}, 0, 4)), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(lengths(Distribution::even({6}, 0, 4)), ElementsAre(2, 2, 1, 1));
  EXPECT_THAT(lengths(Distribution::even({0}, 0, 3)), ElementsAre(0, 0, 0));
}

TEST(Distribution, CyclicBlocksAscend_ARA2) {
  const auto cyclic = Distribution::cyclic({10}, 0, 3, 2);
  EXPECT_THAT(cyclic.intervals(0, 0), ElementsAre(Interval{0, 3}, Interval{6, 9}));
  EXPECT_THAT(cyclic.intervals(1, 0), ElementsAre(Interval{3, 6}, Interval{9, 10}));
  EXPECT_EQ(cyclic.local_shape(1), Shape{4});
  EXPECT_THAT(refused([&] { return cyclic.box(0); }).what(), testing::HasSubstr("intervals(rank, axis)"));
}

TEST(Distribution, EqualsBruteForce_ARA2_ARA3_ARA5) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 2000; ++round) {
    const Spec spec = random_spec(random, random_shape(random, 3, 6), pick(random, 1, 7));
    const Distribution distribution = spec.make();
    for (std::int64_t rank = 0; rank < distribution.ranks(); ++rank) {
      for (std::size_t at = 0; at < spec.shape.size(); ++at) {
        const auto axis = static_cast<std::int64_t>(at);
        const Indices wanted = owned(spec.shape, spec.mesh, spec.rules, rank, at);
        ASSERT_EQ(flattened(distribution.intervals(rank, axis)), wanted) << distribution.to_string();
        ASSERT_EQ(distribution.local_shape(rank)[at], std::ssize(wanted)) << distribution.to_string();
        for (const std::int64_t i : wanted) {
          ASSERT_EQ(distribution.owner(axis, i), distribution.part_of(rank, axis)) << distribution.to_string();
        }
      }
    }
  }
}

TEST(Distribution, OwnsEachElementOnceAReplicaGroup_ARA4) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 500; ++round) {
    const Spec spec = random_spec(random, random_shape(random, 3, 6), pick(random, 1, 7));
    const Distribution distribution = spec.make();
    std::int64_t copies = distribution.ranks();
    for (std::int64_t axis = 0; axis < distribution.ndim(); ++axis) copies /= distribution.parts(axis);
    std::int64_t elements = 0;
    for (std::int64_t rank = 0; rank < distribution.ranks(); ++rank) {
      std::int64_t own = 1;
      for (const std::int64_t extent : distribution.local_shape(rank)) own *= extent;
      elements += own;
    }
    EXPECT_EQ(elements, copies * elements_of(whole_box(spec.shape))) << distribution.to_string();
  }
}

TEST(Distribution, OverlapsOfAnIntervalEqualBruteForce_ARA8) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t extent = pick(random, 1, 14);
    const Spec spec = random_spec(random, {extent}, pick(random, 1, 7));
    const Distribution distribution = spec.make();
    const std::int64_t begin = pick(random, 0, extent);
    const Interval wanted{begin, pick(random, begin, extent)};
    std::int64_t at = wanted.begin;
    for (const OwnedInterval& owned : distribution.overlaps(0, wanted)) {
      ASSERT_EQ(owned.interval.begin, at) << distribution.to_string();
      ASSERT_FALSE(owned.interval.empty());
      for (std::int64_t i = owned.interval.begin; i < owned.interval.end; ++i) {
        ASSERT_EQ(distribution.owner(0, i), owned.part) << distribution.to_string();
      }
      at = owned.interval.end;
    }
    ASSERT_EQ(at, wanted.end) << distribution.to_string();
  }
}

TEST(Distribution, EmptyPartsInAnyPlace_ARA3) {
  const auto counts = Distribution::counts({7}, 0, std::vector<std::int64_t>{0, 3, 0, 4, 0});
  EXPECT_EQ(counts.interval(1, 0), (Interval{0, 3}));
  EXPECT_EQ(counts.interval(3, 0), (Interval{3, 7}));
  for (const std::int64_t rank : {0, 2, 4}) EXPECT_TRUE(counts.interval(rank, 0).empty());
  for (std::int64_t i = 0; i < 7; ++i) EXPECT_EQ(counts.owner(0, i), i < 3 ? 1 : 3);
  EXPECT_THAT(counts.overlaps(0, {2, 5}), ElementsAre(OwnedInterval{1, {2, 3}}, OwnedInterval{3, {3, 5}}));
  EXPECT_TRUE(counts.overlaps(0, {4, 4}).empty());
}

TEST(Distribution, MeshesCutFlattened_ARA5) {
  for (const std::int64_t extent : {0, 1, 5, 6, 8, 9, 14}) {
    const auto flat = Distribution::mesh({extent}, {{3, 2}, {}}, {{Kind::even, {}, 0, {0, 1}}});
    for (std::int64_t rank = 0; rank < 6; ++rank) {
      EXPECT_EQ(flat.box(rank), Distribution::even({extent}, 0, 6).box(rank));
    }
  }
  const auto turned = Distribution::mesh({6}, {{3, 2}, {}}, {{Kind::even, {}, 0, {1, 0}}});
  EXPECT_EQ(turned.box(1), (Box{{3, 4}}));  // rank = 2 i + j holds part 3 j + i
  const auto placed = Distribution::mesh({4}, {{4}, {1, 2, 3, 0}}, {{Kind::even, {}, 0, {0}}});
  EXPECT_EQ(placed.box(0), (Box{{3, 4}}));
}

TEST(Distribution, HugeExtentsAreExact_ARA6) {
  const std::int64_t big = std::int64_t{1} << 53;
  for (const auto& [extent, ranks] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{(1 << 24) + 1, 3},
                                                          {50331651, 3},
                                                          {(std::int64_t{1} << 31) + 1, 4},
                                                          {big + 1, 7},
                                                          {std::int64_t{1} << 62, 5}}) {
    const auto even = Distribution::even({extent}, 0, ranks);
    std::int64_t end = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const Interval own = even.interval(rank, 0);
      EXPECT_EQ(own.begin, end);
      EXPECT_EQ(own.size(), extent / ranks + (rank < extent % ranks ? 1 : 0));
      EXPECT_EQ(even.owner(0, own.begin), rank);
      EXPECT_EQ(even.owner(0, own.end - 1), rank);
      end = own.end;
    }
    EXPECT_EQ(end, extent);
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Distribution::cyclic({most}, 0, most, 3).local_shape(0), Shape{most});
  EXPECT_EQ(Distribution::cyclic({most}, 0, most - 1, 3).local_shape(1), Shape{1});
  EXPECT_EQ(Distribution::even({most}, 0, most).interval(most - 1, 0), (Interval{most - 1, most}));
}

TEST(Distribution, AxesWrapAndAreChecked_ARA9) {
  EXPECT_EQ(Distribution::even({4, 5, 6}, -1, 3), Distribution::even({4, 5, 6}, 2, 3));
  for (const std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, std::int64_t{1} << 40}) {
    const Error error = refused([&] { Distribution::even({4, 5}, axis, 3); });
    EXPECT_EQ(error.faults()[0].kind, "split");
    EXPECT_EQ(error.faults()[0].got, Value(axis));
  }
  EXPECT_EQ(Distribution::even({}, 5, 3), Distribution::replicated({}, 3));
  EXPECT_EQ(Distribution::even(Shape(64, 1), 63, 3).box(0).size(), 64U);
  EXPECT_TRUE(Distribution::replicated({}, 3).box(2).empty());
}

TEST(Distribution, EqualLayoutsAreEqual_ARA7) {
  const auto even = Distribution::even({10, 2}, 0, 4);
  const auto counts = Distribution::counts({10, 2}, 0, std::vector<std::int64_t>{3, 3, 2, 2});
  const auto cuts = Distribution::cuts({10, 2}, 0, {0, 3, 6, 8, 10});
  EXPECT_EQ(even, counts);
  EXPECT_EQ(even, cuts);
  EXPECT_EQ(even.hash(), cuts.hash());
  EXPECT_EQ(even.to_string(), "split=0");
  EXPECT_EQ(cuts.rules()[0].kind, Kind::even);
}

TEST(Distribution, DifferencesShow_ARA7) {
  const std::vector<Distribution> all{Distribution::even({10, 2}, 0, 4),
                                      Distribution::even({10, 2}, 1, 4),
                                      Distribution::even({10, 2}, 0, 5),
                                      Distribution::even({10, 3}, 0, 4),
                                      Distribution::cuts({10, 2}, 0, {0, 3, 6, 9, 10}),
                                      Distribution::replicated({10, 2}, 4),
                                      Distribution::cyclic({10, 2}, 0, 1, 4)};
  std::set<std::string> hashes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    hashes.insert(all[i].hash());
    for (std::size_t j = 0; j < all.size(); ++j) EXPECT_EQ(all[i] == all[j], i == j);
  }
  EXPECT_EQ(hashes.size(), all.size());
}

TEST(Distribution, SplitIsTheOnlyCutAxis) {
  EXPECT_EQ(Distribution::even({3, 4}, 1, 1).split(), 1);
  EXPECT_EQ(Distribution::replicated({3, 4}, 2).split(), std::nullopt);
  EXPECT_TRUE(Distribution::replicated({3, 4}, 2).is_replicated());
  const auto grid = Distribution::mesh({4, 6}, {{2, 2}, {}}, {{Kind::even, {}, 0, {0}}, {Kind::even, {}, 0, {1}}});
  EXPECT_EQ(grid.split(), std::nullopt);
  EXPECT_FALSE(grid.is_replicated());
  EXPECT_EQ(grid.box(2), (Box{{2, 4}, {0, 3}}));
}

TEST(Distribution, ManyRanksAreFast_ARA8) {
  std::vector<std::int64_t> counts(100000);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::int64_t>(i % 3);
  const std::int64_t extent = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto distribution = Distribution::counts({extent}, 0, counts);
  for (std::int64_t i = 0; i < extent; ++i) {
    const std::int64_t owner = distribution.owner(0, i);
    ASSERT_TRUE(distribution.interval(owner, 0).contains(i));
  }
}

TEST(Distribution, RanksOutOfRangeAreRefused) {
  const auto even = Distribution::even({4}, 0, 2);
  refused([&] { return even.interval(2, 0); });
  refused([&] { return even.box(-1); });
  refused([&] { return even.owner(0, 4); });
}

}  // namespace
}  // namespace loadstone
