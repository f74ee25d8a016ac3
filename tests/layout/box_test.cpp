#include <loadstone/distribution.hpp>

#include <gtest/gtest.h>

namespace loadstone {
namespace {

TEST(Interval, IntersectsToAnEmptyOneInPlace) {
  EXPECT_EQ(intersect(Interval{0, 5}, Interval{3, 9}), (Interval{3, 5}));
  EXPECT_TRUE(intersect(Interval{0, 3}, Interval{3, 9}).empty());
  EXPECT_TRUE(intersect(Interval{0, 3}, Interval{7, 9}).empty());
  EXPECT_EQ(intersect(Interval{0, 3}, Interval{7, 9}).size(), 0);
}

TEST(Box, CountsItsElements) {
  EXPECT_EQ(elements_of({}), 1);
  EXPECT_FALSE(is_empty({}));
  const Box box{{2, 5}, {0, 4}};
  EXPECT_EQ(elements_of(box), 12);
  EXPECT_EQ(shape_of(box), (Shape{3, 4}));
  EXPECT_TRUE(is_empty({{2, 5}, {4, 4}}));
  EXPECT_EQ(whole_box(Shape{3, 0}), (Box{{0, 3}, {0, 0}}));
}

TEST(Box, IntersectsAxisByAxis) {
  EXPECT_EQ(intersect(Box{{0, 5}, {2, 4}}, Box{{3, 9}, {0, 3}}), (Box{{3, 5}, {2, 3}}));
  EXPECT_EQ(intersect(Box{}, Box{}), Box{});
}

TEST(Box, Prints) {
  EXPECT_EQ(to_string(Box{{0, 1505}, {0, 256}}), "[0:1505, 0:256]");
  EXPECT_EQ(to_string(Box{}), "[]");
}

}  // namespace
}  // namespace loadstone
