#include "plan/planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace loadstone {
namespace {

using plan::make_tiles;
using testing::ElementsAre;
using Lengths = std::vector<std::int64_t>;

Lengths lengths(std::int64_t rows, std::int64_t ranks, const LoadOptions& options = {}) {
  const auto tiles = make_tiles({rows}, 0, options, ranks);
  EXPECT_TRUE(tiles.ok());
  Lengths found;
  for (std::int64_t rank = 0; rank < ranks; ++rank) found.push_back(tiles->interval(rank, 0).size());
  return found;
}

LoadOptions ceil_of(std::int64_t fold = 1) {
  LoadOptions options;
  options.tiles = Tiles::ceil;
  options.overdecompose = fold;
  return options;
}

LoadOptions explicit_of(Lengths rows) {
  LoadOptions options;
  options.rows_per_rank = std::move(rows);
  options.has_rows_per_rank = true;
  return options;
}

std::vector<std::string> kinds(const Result<Distribution>& result) {
  std::vector<std::string> found;
  if (result.ok()) return found;
  for (const Fault& fault : result.status().failure().faults) found.push_back(fault.kind);
  return found;
}

TEST(Tiles, Balanced_DS43_C083_C088) {
  EXPECT_THAT(lengths(10, 4), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(lengths(9, 8), ElementsAre(2, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(lengths(2, 6), ElementsAre(1, 1, 0, 0, 0, 0));
  EXPECT_THAT(lengths(0, 4), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(lengths(8000000, 3), ElementsAre(2666667, 2666667, 2666666));
}

TEST(Tiles, Ceil_DS44) {
  EXPECT_THAT(lengths(10, 4, ceil_of()), ElementsAre(3, 3, 3, 1));
  EXPECT_THAT(lengths(9, 8, ceil_of()), ElementsAre(2, 2, 2, 2, 1, 0, 0, 0));
  EXPECT_THAT(lengths(0, 4, ceil_of()), ElementsAre(0, 0, 0, 0));
  Lengths wanted(16, 0);
  std::fill_n(wanted.begin(), 8, 2);
  wanted[8] = 1;
  EXPECT_EQ(lengths(17, 16, ceil_of()), wanted);
  EXPECT_EQ(lengths(100, 64, ceil_of())[49], 2);
  EXPECT_EQ(lengths(100, 64, ceil_of())[50], 0);
}

TEST(Tiles, CeilWithKFold_DS47) {
  EXPECT_THAT(lengths(10, 4, ceil_of(2)), ElementsAre(4, 2, 2, 2));
  EXPECT_THAT(lengths(17, 3, ceil_of(4)), ElementsAre(6, 6, 5));
  EXPECT_THAT(lengths(10, 4, ceil_of(std::numeric_limits<std::int64_t>::max())), ElementsAre(3, 3, 2, 2));
}

TEST(Tiles, OfTheRecipe_A8) {
  for (std::int64_t ranks = 1; ranks <= 16; ++ranks) {
    const std::int64_t tile = (4000000 + ranks - 1) / ranks;
    const Lengths found = lengths(4000000, ranks, ceil_of());
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t begin = std::min<std::int64_t>(rank * tile, 4000000);
      EXPECT_EQ(found[static_cast<std::size_t>(rank)], std::min<std::int64_t>(begin + tile, 4000000) - begin);
    }
  }
}

TEST(Tiles, Explicit_DS45) {
  EXPECT_THAT(lengths(10, 3, explicit_of({0, 3, 7})), ElementsAre(0, 3, 7));
  EXPECT_THAT(kinds(make_tiles({10}, 0, explicit_of({4, 6}), 3)), ElementsAre("tiles.map"));
  EXPECT_THAT(kinds(make_tiles({10}, 0, explicit_of({11, 0, -1}), 3)), ElementsAre("tiles.map"));
  EXPECT_THAT(kinds(make_tiles({10}, 0, explicit_of({-3, 3}), 3)), ElementsAre("tiles.map", "tiles.map", "tiles.map"));
  EXPECT_THAT(kinds(make_tiles({10}, 0, explicit_of({}), 3)), ElementsAre("tiles.map", "tiles.map"));
  EXPECT_THAT(kinds(make_tiles({10}, std::nullopt, explicit_of({10}), 1)), ElementsAre("tiles.map"));
}

TEST(Tiles, LengthsAndARuleForThemExcludeOneAnother) {
  LoadOptions both = explicit_of({0, 3, 7});
  both.tiles = Tiles::ceil;
  EXPECT_THAT(kinds(make_tiles({10}, 0, both, 3)), ElementsAre("tiles.map"));
}

TEST(Tiles, SplitWrapsAndIsChecked_ARA9) {
  EXPECT_EQ(make_tiles({4, 5}, -1, {}, 3)->split(), 1);
  EXPECT_THAT(kinds(make_tiles({4, 5}, 2, {}, 3)), ElementsAre("split"));
  EXPECT_THAT(kinds(make_tiles({4, 5}, -3, ceil_of(), 3)), ElementsAre("split"));
  EXPECT_TRUE(make_tiles({}, 7, {}, 3)->is_replicated());
  EXPECT_TRUE(make_tiles({4, 5}, std::nullopt, {}, 3)->is_replicated());
}

TEST(Tiles, ComplainAboutEverythingAtOnce) {
  LoadOptions options;
  options.overdecompose = 0;
  EXPECT_THAT(kinds(make_tiles({4}, 1, options, 0)), ElementsAre("layout.ranks", "split", "overdecompose"));
}

TEST(Tiles, EachRowIsInOneTile_DS48) {
  for (std::int64_t rows = 0; rows <= 40; ++rows) {
    for (std::int64_t ranks = 1; ranks <= 9; ++ranks) {
      for (const LoadOptions& options : {LoadOptions{}, ceil_of(), ceil_of(3)}) {
        const Lengths found = lengths(rows, ranks, options);
        EXPECT_EQ(std::accumulate(found.begin(), found.end(), std::int64_t{0}), rows);
      }
    }
  }
}

}  // namespace
}  // namespace loadstone
