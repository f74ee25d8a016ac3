#include "core/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loadstone {
namespace {

/// The half nearest to a double, by looking at the two neighbours: ties go to the even one.
std::uint16_t nearest_half(double value, std::uint16_t low) {
  const auto high = static_cast<std::uint16_t>(low + 1);
  const double below = static_cast<double>(to_float({low}));
  // What follows the largest finite half counts as 65536 when rounding.
  const double above = high == 0x7C00 ? 65536.0 : static_cast<double>(to_float({high}));
  if (value - below < above - value) return low;
  if (value - below > above - value) return high;
  return low % 2 == 0 ? low : high;
}

TEST(Half, EveryHalfSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float wide = to_float(half);
    EXPECT_EQ(to_half(wide).bits, half.bits);
    if (!std::isnan(wide)) {
      EXPECT_EQ(to_half(static_cast<double>(wide)).bits, half.bits);
    }
  }
}

TEST(Half, C031DoublesBetweenAllNeighboursRoundToNearestEven) {
  for (std::uint16_t low = 0; low < 0x7C00; ++low) {
    const auto a = static_cast<double>(to_float({low}));
    const double b = low == 0x7BFF ? 65536.0 : static_cast<double>(to_float({static_cast<std::uint16_t>(low + 1)}));
    const double middle = (a + b) / 2;
    for (const double value :
         {std::nextafter(a, b), std::nextafter(middle, a), middle, std::nextafter(middle, b), std::nextafter(b, a)}) {
      ASSERT_EQ(to_half(value).bits, nearest_half(value, low)) << value;
      ASSERT_EQ(to_half(-value).bits, nearest_half(value, low) | 0x8000) << value;
    }
  }
  EXPECT_EQ(to_half(1.5249285751529568e-05).bits, 0x0100);
}

TEST(Half, FloatsRoundOnce) {
  for (std::uint16_t low = 0; low < 0x7BFF; ++low) {
    const float a = to_float({low});
    const float b = to_float({static_cast<std::uint16_t>(low + 1)});
    const float middle = (a + b) / 2;
    for (const float value : {std::nextafter(a, b), std::nextafter(middle, a), middle, std::nextafter(middle, b)}) {
      ASSERT_EQ(to_half(value).bits, nearest_half(static_cast<double>(value), low)) << value;
    }
  }
}

TEST(Half, SpecialValues) {
  EXPECT_EQ(to_half(std::numeric_limits<double>::infinity()).bits, 0x7C00);
  EXPECT_EQ(to_half(-std::numeric_limits<float>::infinity()).bits, 0xFC00);
  EXPECT_EQ(to_half(-0.0).bits, 0x8000);
  EXPECT_EQ(to_half(1e300).bits, 0x7C00);
  EXPECT_EQ(to_half(1e-300).bits, 0);
  EXPECT_TRUE(std::isnan(to_float(to_half(std::numeric_limits<double>::quiet_NaN()))));
}

}  // namespace
}  // namespace loadstone
