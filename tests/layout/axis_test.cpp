#include "layout/axis.hpp"

#include "layout/brute.hpp"

#include <gtest/gtest.h>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers

TEST(Axis, EqualsBruteForceForEveryRule_ARA1_ARA2) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  using Kind = AxisRule::Kind;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t extent = pick(random, 0, 13);
    const std::int64_t parts = pick(random, 1, 7);
    AxisRule rule{std::array{Kind::even, Kind::cuts, Kind::cyclic}[static_cast<std::size_t>(round % 3)], {}, 0, {0}};
    if (rule.kind == Kind::cuts) rule.offsets = random_offsets(random, extent, parts);
    if (rule.kind == Kind::cyclic) rule.block = pick(random, 1, 15);
    const layout::Axis axis{rule, extent, parts};
    std::int64_t largest = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Indices wanted = owned_by_part(rule, extent, parts, part);
      ASSERT_EQ(flattened(layout::part_intervals(axis, part)), wanted);
      ASSERT_EQ(layout::part_size(axis, part), std::ssize(wanted));
      largest = std::max<std::int64_t>(largest, std::ssize(wanted));
      for (std::int64_t at = 0; at < std::ssize(wanted); ++at) {
        ASSERT_EQ(layout::owner(axis, wanted[static_cast<std::size_t>(at)]), part);
        ASSERT_EQ(layout::position(axis, wanted[static_cast<std::size_t>(at)]), at);
      }
    }
    ASSERT_EQ(layout::largest_part(axis), largest);
  }
}

TEST(Axis, EvenPartsOfFewRows_DS46) {
  EXPECT_EQ(layout::even_part(2, 6, 1), (Interval{1, 2}));
  EXPECT_TRUE(layout::even_part(2, 6, 5).empty());
  EXPECT_TRUE(layout::even_part(0, 1, 0).empty());
}

}  // namespace
}  // namespace loadstone
