#include "core/checked.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace loadstone {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(Checked, AddAndMultiplyStopAtTheEnd) {
  EXPECT_EQ(checked_add(kMax - 1, 1), kMax);
  EXPECT_FALSE(checked_add(kMax, 1));
  EXPECT_EQ(checked_multiply(kMax / 2, 2), kMax - 1);
  EXPECT_FALSE(checked_multiply(kMax / 2 + 1, 2));
}

TEST(Checked, NbytesOfHostileShapes) {
  EXPECT_EQ(checked_nbytes(std::vector<std::int64_t>{}, 8), 8);
  EXPECT_EQ(checked_nbytes(std::vector<std::int64_t>{3, 4}, 8), 96);
  EXPECT_EQ(checked_nbytes(std::vector<std::int64_t>{3, 0, 4}, 8), 0);
  EXPECT_EQ(checked_nbytes(std::vector<std::int64_t>{3}, 0), 0);
  EXPECT_FALSE(checked_nbytes(std::vector<std::int64_t>{std::int64_t{1} << 62, 4}, 4)) << "C010";
  EXPECT_FALSE(checked_nbytes(std::vector<std::int64_t>{0, std::int64_t{1} << 62, 8}, 1)) << "a hidden overflow";
  EXPECT_FALSE(checked_nbytes(std::vector<std::int64_t>{-1, 4}, 4));
}

TEST(Checked, Rounding) {
  EXPECT_EQ(ceil_div(7, 4), 2);
  EXPECT_EQ(ceil_div(8, 4), 2);
  EXPECT_EQ(ceil_div(0, 4), 0);
  EXPECT_EQ(round_up(4097, 4096), 8192);
  EXPECT_EQ(round_down(8191, 4096), 4096);
}

}  // namespace
}  // namespace loadstone
