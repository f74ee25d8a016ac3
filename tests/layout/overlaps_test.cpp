#include "layout/overlaps.hpp"

#include "layout/brute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using layout::CommonBox;
using layout::overlaps;
using testing::ElementsAre;
using Kind = AxisRule::Kind;

/// For one rank and axis: global index -> position in the tile.
using Positions = std::vector<std::map<std::int64_t, std::int64_t>>;

Positions positions(const Spec& spec, std::int64_t rank) {
  Positions found(spec.shape.size());
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    for (const std::int64_t i : owned(spec.shape, spec.mesh, spec.rules, rank, axis)) {
      found[axis].emplace(i, std::ssize(found[axis]));
    }
  }
  return found;
}

/// Every element that both own, as (source position, target position), per axis product.
std::int64_t shared_elements(const Positions& a, const Positions& b) {
  std::int64_t product = 1;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    std::int64_t both = 0;
    for (const auto& [index, at] : a[axis]) both += static_cast<std::int64_t>(b[axis].count(index));
    product *= both;
  }
  return product;
}

/// Checks places on every axis; returns the elements that the boxes cover, and that no two boxes share one.
std::int64_t covered(const std::vector<CommonBox>& boxes, const Positions& source, const Positions& target) {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const CommonBox& common = boxes[i];
    EXPECT_FALSE(is_empty(common.box));
    for (std::size_t axis = 0; axis < common.box.size(); ++axis) {
      for (std::int64_t k = 0; k < common.box[axis].size(); ++k) {
        const std::int64_t index = common.box[axis].begin + k;
        EXPECT_EQ(source[axis].at(index), common.in_source[axis] + k);
        EXPECT_EQ(target[axis].at(index), common.in_target[axis] + k);
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_TRUE(!common.box.empty() && is_empty(intersect(common.box, boxes[j].box))) << "an element comes twice";
    }
    elements += elements_of(common.box);
  }
  return elements;
}

TEST(Overlaps, OfTwoRanksEqualBruteForce_G1) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 400; ++round) {
    const Shape shape = random_shape(random, 3, 6);
    const Spec a = random_spec(random, shape, pick(random, 1, 7));
    const Spec b = random_spec(random, shape, pick(random, 1, 7));
    const Distribution source = a.make();
    const Distribution target = b.make();
    SCOPED_TRACE(source.to_string() + " to " + target.to_string() + " of " + testing::PrintToString(shape));
    for (std::int64_t p = 0; p < source.ranks(); ++p) {
      const Positions ours = positions(a, p);
      for (std::int64_t q = 0; q < target.ranks(); ++q) {
        const Positions theirs = positions(b, q);
        const auto boxes = overlaps(source, p, target, q);
        ASSERT_EQ(covered(boxes, ours, theirs), shared_elements(ours, theirs));
        for (const CommonBox& common : boxes) ASSERT_EQ(common.source, p);
      }
    }
    if (HasFailure()) return;
  }
}

TEST(Overlaps, WithAllRanksCoverTheTileOnce_G1_ARA4) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 400; ++round) {
    const Shape shape = random_shape(random, 3, 6);
    const Spec a = random_spec(random, shape, pick(random, 1, 7));
    const Spec b = random_spec(random, shape, pick(random, 1, 7));
    const Distribution source = a.make();
    const Distribution target = b.make();
    SCOPED_TRACE(source.to_string() + " to " + target.to_string() + " of " + testing::PrintToString(shape));
    for (std::int64_t q = 0; q < target.ranks(); ++q) {
      std::map<std::int64_t, std::vector<CommonBox>> by_source;
      std::int64_t elements = 0;
      for (CommonBox& common : overlaps(source, target, q)) {
        elements += elements_of(common.box);
        by_source[common.source].push_back(std::move(common));
      }
      std::int64_t wanted = 1;
      for (const std::int64_t extent : target.local_shape(q)) wanted *= extent;
      ASSERT_EQ(elements, wanted);
      for (const auto& [p, boxes] : by_source) {
        covered(boxes, positions(a, p), positions(b, q));
        ASSERT_EQ(boxes, overlaps(source, p, target, q)) << "both ways of asking agree";
      }
    }
    if (HasFailure()) return;
  }
}

TEST(Overlaps, ReadLikeThePicture) {
  const auto shards = Distribution::counts({10, 2}, 0, std::vector<std::int64_t>{3, 0, 3, 4});
  const auto tiles = Distribution::even({10, 2}, 0, 2);
  EXPECT_THAT(overlaps(shards, tiles, 1), ElementsAre(CommonBox{2, {{5, 6}, {0, 2}}, {2, 0}, {0, 0}},
                                                      CommonBox{3, {{6, 10}, {0, 2}}, {0, 0}, {1, 0}}));
}

TEST(Overlaps, TakeTheFirstReplica) {
  const auto source = Distribution::mesh({4}, {{2, 2}, {3, 2, 1, 0}}, {{Kind::even, {}, 0, {1}}});
  const auto target = Distribution::replicated({4}, 1);
  EXPECT_THAT(overlaps(source, target, 0),
              ElementsAre(CommonBox{3, {{0, 2}}, {0}, {0}}, CommonBox{2, {{2, 4}}, {0}, {2}}));
}

TEST(Overlaps, OfArraysWithoutAxesAreOneElement) {
  const auto one = Distribution::replicated({}, 3);
  EXPECT_THAT(overlaps(one, one, 2), ElementsAre(CommonBox{0, {}, {}, {}}));
  EXPECT_THAT(overlaps(one, 1, one, 2), ElementsAre(CommonBox{1, {}, {}, {}}));
}

TEST(Tile, NarrowsByPosition) {
  const auto cyclic = Distribution::cyclic({20}, 0, 3, 2);  // rank 0: 0-2, 6-8, 12-14, 18-19
  const auto kept = layout::narrowed(layout::tile_of(cyclic, 0), 0, {2, 7});
  using Placed = layout::PlacedInterval;
  EXPECT_THAT(kept[0], ElementsAre(Placed{{2, 3}, 2}, Placed{{6, 9}, 3}, Placed{{12, 13}, 6}));
  EXPECT_TRUE(layout::narrowed(layout::tile_of(cyclic, 0), 0, {4, 4})[0].empty());
}

}  // namespace
}  // namespace loadstone
