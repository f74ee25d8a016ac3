#include "io/depth_ramp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace loadstone::io {
namespace {

constexpr std::int64_t kRequest = 1000;

/// Bytes arrive as fast as `rate` says for the depth of the moment; the depth that is left in the end.
std::int64_t settled_depth(std::int64_t start, std::int64_t most, const std::function<double(std::int64_t)>& rate) {
  DepthRamp ramp(start, most, kRequest);
  double now = 0;
  for (int i = 0; i < 10'000; ++i) {
    now += static_cast<double>(kRequest) / rate(ramp.depth());
    ramp.add(kRequest, now);
    EXPECT_LE(ramp.depth(), std::max(start, most));
  }
  return ramp.depth();
}

TEST(DepthRamp, GoesOnWhileTheRateGainsATwentieth_IO22) {
  EXPECT_EQ(settled_depth(4, 64, [](std::int64_t depth) { return 10.0 * static_cast<double>(depth); }), 64);
  EXPECT_EQ(settled_depth(4, 64, [](std::int64_t depth) { return depth > 4 ? 9.4 : 10.0; }), 4);
  EXPECT_EQ(settled_depth(4, 64, [](std::int64_t depth) { return depth > 4 ? 9.9 : 10.0; }), 6) << "the same";
  EXPECT_EQ(
      settled_depth(4, 64, [](std::int64_t depth) { return depth <= 16 ? 1.0 * static_cast<double>(depth) : 15.0; }),
      16);
  EXPECT_EQ(settled_depth(4, 64, [](std::int64_t depth) { return depth > 4 ? 1.04 : 1.0; }), 6) << "not worth it";
  EXPECT_EQ(settled_depth(4, 64, [](std::int64_t depth) { return depth > 4 ? 0.5 : 1.0; }), 4) << "slower";
}

TEST(DepthRamp, StaysWhereItMayNotRise) {
  EXPECT_EQ(settled_depth(32, 32, [](std::int64_t depth) { return 10.0 * static_cast<double>(depth); }), 32);
  EXPECT_EQ(settled_depth(32, 48, [](std::int64_t depth) { return 10.0 * static_cast<double>(depth); }), 32);
  EXPECT_EQ(settled_depth(512, 64, [](std::int64_t depth) { return 10.0 * static_cast<double>(depth); }), 512);
}

}  // namespace
}  // namespace loadstone::io
