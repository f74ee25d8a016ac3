#include "core/convert.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/transfer.hpp"

namespace loadstone {
namespace {

DType type(const std::string& text) { return *parse_dtype(text); }

TEST(Convert, DS49LosslessIsDecidedByTheTypes) {
  const std::vector<std::pair<std::string, std::string>> yes = {
      {"i4", "f8"}, {"u1", "i2"}, {"f4", "f8"}, {"i2", "f4"},           {"u4", "i8"},   {"f2", "f4"},  {"b1", "u1"},
      {"f4", "c8"}, {"i8", "i8"}, {"u1", "f2"}, {"<M8[ns]", ">M8[ns]"}, {"|S5", "|S5"}, {">i4", "<i4"}};
  for (const auto& [from, to] : yes) EXPECT_TRUE(can_cast_lossless(type(from), type(to))) << from << " " << to;
  const std::vector<std::pair<std::string, std::string>> no = {
      {"f8", "f4"}, {"i8", "f8"}, {"u1", "i1"}, {"i4", "f4"},   {"f4", "i4"},           {"i2", "u2"}, {"c8", "f4"},
      {"f4", "f2"}, {"i2", "f2"}, {"u1", "b1"}, {"|S5", "|S6"}, {"<M8[ns]", "<M8[us]"}, {"u8", "i8"}};
  for (const auto& [from, to] : no) EXPECT_FALSE(can_cast_lossless(type(from), type(to))) << from << " " << to;
}

template <class S, class T>
bool lost(const std::string& from, const std::string& to, S value, Casting casting, T* out = nullptr) {
  T target{};
  const bool result = find_convert_row(type(from), type(to), casting)(reinterpret_cast<const std::byte*>(&value),
                                                                      reinterpret_cast<std::byte*>(&target), 1);
  if (out != nullptr) *out = target;
  return result;
}

TEST(Convert, DS49NothingWraps) {
  for (const Casting casting : {Casting::lossy, Casting::checked}) {
    EXPECT_TRUE((lost<double, std::int32_t>("f8", "i4", std::nan(""), casting)));
    EXPECT_TRUE((lost<double, std::int32_t>("f8", "i4", 2147483648.0, casting)));
    EXPECT_FALSE((lost<double, std::int32_t>("f8", "i4", -2147483648.0, casting)));
    EXPECT_TRUE((lost<float, std::uint8_t>("f4", "u1", -1.0F, casting)));
    EXPECT_TRUE((lost<std::int64_t, std::int32_t>("i8", "i4", std::int64_t{1} << 31, casting)));
    EXPECT_TRUE((lost<std::int16_t, std::uint16_t>("i2", "u2", std::int16_t{-1}, casting)));
    EXPECT_TRUE((lost<double, std::int64_t>("f8", "i8", 0x1p63, casting)));
    EXPECT_FALSE((lost<double, std::int64_t>("f8", "i8", -0x1p63, casting)));
    EXPECT_TRUE((lost<double, std::uint64_t>("f8", "u8", 0x1p64, casting)));
  }
}

TEST(Convert, DS49LossyRoundsAndTruncatesLikeNumPy) {
  std::int32_t whole = 0;
  EXPECT_FALSE((lost<double, std::int32_t>("f8", "i4", -1.9, Casting::lossy, &whole)));
  EXPECT_EQ(whole, -1);
  std::uint8_t byte = 1;
  EXPECT_FALSE((lost<double, std::uint8_t>("f8", "u1", -0.9, Casting::lossy, &byte)));
  EXPECT_EQ(byte, 0);
  float rounded = 0;
  EXPECT_FALSE((lost<std::int64_t, float>("i8", "f4", (std::int64_t{1} << 24) + 1, Casting::lossy, &rounded)));
  EXPECT_EQ(rounded, 0x1p24F);
  EXPECT_FALSE((lost<double, float>("f8", "f4", 1e300, Casting::lossy, &rounded)));
  EXPECT_TRUE(std::isinf(rounded));
}

TEST(Convert, DS49CheckedValuesMustSurvive) {
  EXPECT_TRUE((lost<double, float>("f8", "f4", 0.1, Casting::checked)));
  EXPECT_FALSE((lost<double, float>("f8", "f4", 0.5, Casting::checked)));
  EXPECT_FALSE((lost<double, float>("f8", "f4", std::nan(""), Casting::checked)));
  EXPECT_TRUE((lost<std::int64_t, double>("i8", "f8", (std::int64_t{1} << 53) + 1, Casting::checked)));
  EXPECT_TRUE((lost<std::int64_t, double>("i8", "f8", std::numeric_limits<std::int64_t>::max(), Casting::checked)));
  EXPECT_TRUE((lost<float, std::uint8_t>("f4", "u1", 1.5F, Casting::checked)));
  EXPECT_TRUE((lost<std::uint8_t, std::uint8_t>("u1", "b1", std::uint8_t{2}, Casting::checked)));
}

TEST(Convert, HalvesInARowAreWhatTheyAreAlone) {
  std::vector<std::uint16_t> halves(65536);
  std::iota(halves.begin(), halves.end(), std::uint16_t{0});
  std::vector<std::uint32_t> floats(halves.size());
  const auto n = static_cast<std::int64_t>(halves.size()) - 1;  // no whole number of vectors
  EXPECT_FALSE(find_convert_row(type("f2"), type("f4"), Casting::lossless)(
      reinterpret_cast<const std::byte*>(halves.data()), reinterpret_cast<std::byte*>(floats.data()), n));
  for (std::size_t i = 0; i + 1 < halves.size(); ++i) {
    const double magnitude = std::ldexp((i & 0x7C00) == 0 ? i & 0x3FF : 0x400 + (i & 0x3FF),
                                        std::max<int>(static_cast<int>(i >> 10 & 0x1F), 1) - 25);
    const double finite = (i & 0x8000) == 0 ? magnitude : -magnitude;
    const std::uint32_t special = static_cast<std::uint32_t>((i & 0x8000) << 16 | 0x7F800000 | (i & 0x3FF) << 13);
    const std::uint32_t wanted =
        (i & 0x7C00) == 0x7C00 ? special : std::bit_cast<std::uint32_t>(static_cast<float>(finite));
    ASSERT_EQ(floats[i], wanted) << i;
  }
}

TEST(Convert, TheFirstLostValueIsNamed) {
  const std::vector<double> values = {1, 2, 2.5, 1e300};
  const LostInRow checked =
      first_lost(reinterpret_cast<const std::byte*>(values.data()), type("f8"), type("i4"), 4, Casting::checked);
  EXPECT_EQ(checked.position, 2);
  EXPECT_STREQ(checked.what, "is not a whole number");
  const LostInRow lossy =
      first_lost(reinterpret_cast<const std::byte*>(values.data()), type("f8"), type("i4"), 4, Casting::lossy);
  EXPECT_EQ(lossy.position, 3);
  EXPECT_STREQ(lossy.what, "is out of range");
}

TEST(Convert, ComplexHasNoWayToReal) {
  EXPECT_FALSE(can_cast(type("c8"), type("f4")));
  EXPECT_TRUE(can_cast(type("c8"), type("c16")));
  EXPECT_FALSE(can_cast(type("|S5"), type("f4")));
}

}  // namespace
}  // namespace loadstone
