#include "cli/picture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadstone::cli {
namespace {

std::string drawn(const std::vector<std::int64_t>& cuts, const char* prefix, int width) {
  return ruler(cuts, prefix, width);
}

TEST(Picture, DrawsPartsToScale) {
  EXPECT_EQ(drawn({0, 5, 10}, "r", 11), "├ r0 ┼ r1 ┤");
  EXPECT_EQ(drawn({0, 10, 20}, "", 21), "├─── 0 ───┼─── 1 ───┤");
}

TEST(Picture, LeavesOutNumbersThatDoNotFit) { EXPECT_EQ(drawn({0, 1, 10}, "", 11), "├┼── 1 ───┤"); }

TEST(Picture, EmptyPartsShareABar) {
  EXPECT_EQ(drawn({0, 0, 10, 10}, "", 11), "├─── 1 ───┤");
  EXPECT_EQ(drawn({0, 0, 0}, "", 5), "├───┤");
}

TEST(Picture, NothingToDraw) {
  EXPECT_EQ(drawn({0}, "", 11), "");
  EXPECT_EQ(drawn({}, "", 11), "");
}

}  // namespace
}  // namespace loadstone::cli
