#include "crossover.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bench {
namespace {

/// Sizes from a quarter of 100 to four times it, with `quotient(size)` in every round but the last two.
template <class Quotient>
std::vector<Point> points(const Quotient& quotient, double burst = 1) {
  std::vector<Point> made;
  for (const double size : {25.0, 37.5, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0}) {
    const double usual = quotient(size);
    made.push_back({size, {usual, usual, usual, usual, usual, usual, usual, usual * burst, usual * burst}});
  }
  return made;
}

TEST(Spread, QuartilesLieBetweenValues) {
  const Spread spread = spread_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(spread.low, 1.75);
  EXPECT_DOUBLE_EQ(spread.middle, 2.5);
  EXPECT_DOUBLE_EQ(spread.high, 3.25);
  EXPECT_DOUBLE_EQ(spread_of({7}).middle, 7);
}

TEST(Crossover, IsWhereBothWaysTakeTheSameTime) {
  const Crossover found = judge(points([](double size) { return std::pow(size / 120, 2); }), 100);
  EXPECT_TRUE(found.found);
  EXPECT_NEAR(found.at.middle, 120, 1e-6);
  EXPECT_NEAR(found.at.low, 120, 1e-6);
  EXPECT_NEAR(found.at.high, 120, 1e-6);
}

TEST(Crossover, TheLastCrossingCounts) {
  const std::vector<double> quotients = {0.5, 0.5, 1.1, 0.9, 0.9, 1.5, 1.6, 1.7, 1.8};
  std::size_t i = 0;
  const Crossover found = judge(points([&](double) { return quotients[i++]; }), 100);
  EXPECT_GT(found.at.middle, 100);
  EXPECT_LT(found.at.middle, 150);
}

TEST(Crossover, WhereOneWayAlwaysWinsTheEdgeIsNamed) {
  EXPECT_EQ(judge(points([](double) { return 0.5; }), 100).at.middle, 400);
  EXPECT_EQ(judge(points([](double) { return 2; }), 100).at.middle, 25);
  EXPECT_FALSE(judge(points([](double) { return 2; }), 100).found);
}

TEST(Crossover, IO33AThresholdIsOffWhenTheOtherWayWouldBeAQuarterFaster) {
  const auto step = [](double cost, double at) {
    return points([=](double size) { return size < at ? 1 / cost : cost; });
  };
  EXPECT_FALSE(judge(step(3, 100), 100).off) << "where it belongs";
  EXPECT_TRUE(judge(step(3, 50), 100).off) << "too large: sizes below it go the slow way";
  EXPECT_TRUE(judge(step(3, 400), 100).off) << "too small";
  EXPECT_FALSE(judge(step(1.2, 50), 100).off) << "the ways are near each other: nothing is lost";
  EXPECT_NEAR(judge(step(3, 50), 100).cost_below, 3, 1e-9);
  EXPECT_NEAR(judge(step(3, 50), 100).cost_from, 1, 1e-9);
  EXPECT_NEAR(judge(step(3, 400), 100).cost_from, 3, 1e-9);
}

TEST(Crossover, ABurstInSomeRoundsFailsNothing) {
  EXPECT_FALSE(judge(points([](double size) { return size < 100 ? 0.9 : 1.1; }, 5), 100).off);
  EXPECT_FALSE(judge(points([](double size) { return size < 100 ? 0.9 : 1.1; }, 0.2), 100).off);
}

}  // namespace
}  // namespace bench
