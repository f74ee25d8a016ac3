#include "plan/pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace loadstone {
namespace {

using plan::Move;
using plan::MoveAxis;
using plan::Piece;
using plan::run_shape;
using plan::Sizes;
using testing::ElementsAre;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kGap = 64 * kKiB;

std::vector<Piece> pieces(const Move& move, bool convert, const Sizes& sizes) {
  std::vector<Piece> all;
  plan::for_each_piece(move, convert, sizes, [&](const Piece& piece) { all.push_back(piece); });
  return all;
}

/// A C-order array of `row_bytes` rows, of which a tile takes `bytes` of each (4-byte elements).
Move columns(std::int64_t rows, std::int64_t row_bytes, std::int64_t bytes) {
  return {0, 128, 0, 4, 4, {{rows, row_bytes, bytes}, {bytes / 4, 4, 4}}};
}

std::int64_t read_bytes(const std::vector<Piece>& all) {
  std::int64_t bytes = 0;
  for (const Piece& piece : all) bytes += piece.read_bytes();
  return bytes;
}

TEST(RunShape, IsInPlaceWhereFileAndTileAgree_DS50) {
  const Move whole{0, 128, 0, 4, 4, {{1000, 4, 4}}};
  EXPECT_TRUE(run_shape(whole, false, kGap).in_place);
  EXPECT_EQ(run_shape(whole, false, kGap).bytes, 4000);
  EXPECT_FALSE(run_shape(whole, true, kGap).in_place) << "a conversion";
  const Move wider{0, 128, 0, 4, 8, {{1000, 4, 8}}};
  EXPECT_FALSE(run_shape(wider, false, kGap).in_place) << "elements of another size";
}

TEST(RunShape, OfInnerSplits_A11) {
  const auto quarter = run_shape(columns(8192, 1024, 256), false, kGap);
  EXPECT_TRUE(quarter.in_place) << "256 bytes land straight in the tile";
  EXPECT_EQ(quarter.bytes, 256);
  const auto tiny = run_shape(columns(8192, 1024, 252), false, kGap);
  EXPECT_FALSE(tiny.in_place) << "below 256 bytes the gaps are read as well";
  EXPECT_EQ(tiny.bytes, 8191 * 1024 + 252);
  EXPECT_TRUE(run_shape(columns(8192, kMiB, 128), false, kGap).in_place) << "no gap over gap_bytes is read";
}

TEST(RunShape, JoinsRunsOverGapsOfAFiftieth_DS54) {
  EXPECT_EQ(run_shape(columns(100, 10200, 10000), false, kGap).axes, 2);
  EXPECT_FALSE(run_shape(columns(100, 10200, 10000), false, kGap).in_place);
  EXPECT_EQ(run_shape(columns(100, 10204, 10000), false, kGap).axes, 1);
  EXPECT_EQ(run_shape(columns(100, 100 * kKiB + 4, 100 * kKiB), false, kGap).axes, 1) << "long runs are not joined";
}

TEST(RunShape, OfStepsReadsLargerRanges_DS54) {
  const Move every_third{0, 128, 0, 8, 8, {{1000, 24, 8}}};
  EXPECT_EQ(run_shape(every_third, false, kGap).bytes, 999 * 24 + 8);
  const Move far_apart{0, 128, 0, 8, 8, {{1000, 100000, 8}}};
  EXPECT_EQ(run_shape(far_apart, false, kGap).axes, 0);
}

TEST(Pieces, InPlaceRunsOfAnInnerSplitAreOnePiece_DS50) {
  const auto all = pieces(columns(8192, 1024, 256), false, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].runs, 8192);
  EXPECT_EQ(all[0].run_bytes, 256);
  EXPECT_EQ(all[0].run_offset(8191), 128 + 8191 * 1024);
  EXPECT_EQ(all[0].run_tile_offset(8191), 8191 * 256);
}

TEST(Pieces, LongRunsAreCutAtMultiplesOfARequest_IO18) {
  const Move whole{0, 128, 0, 4, 4, {{kMiB, 4, 4}}};
  for (const bool convert : {false, true}) {
    const auto all = pieces(whole, convert, {});
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0].read_bytes(), kMiB - 128);
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_EQ(all[i].move.file_offset % kMiB, 0);
      EXPECT_EQ(all[i].run_bytes, i < 4 ? kMiB : 128);
    }
  }
}

TEST(Pieces, ElementsAreNeverCut) {
  const Move odd{0, 11, 0, 24, 24, {{1000, 24, 24}}};
  for (const Piece& piece : pieces(odd, false, {5000, 5000, 0})) {
    EXPECT_EQ(piece.read_bytes() % 24, 0);
    EXPECT_LE(piece.read_bytes(), 5000);
  }
  const Move large{0, 11, 0, 9000, 9000, {{3, 9000, 9000}}};
  EXPECT_EQ(pieces(large, true, {5000, 5000, 0}).size(), 3U) << "one element is the least";
}

TEST(Pieces, OfRowsThatAreConvertedFillABlock) {
  const auto all = pieces(columns(1000, 4096, 2048), true, {kMiB, kMiB, kGap});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].runs, 500);
  EXPECT_EQ(all[0].run_bytes, 2048);
  EXPECT_THAT(all[0].copy_axes(), testing::SizeIs(2));
  EXPECT_EQ(all[0].copy_axes()[0].source_stride, 2048);
  EXPECT_EQ(all[0].copy_axes()[0].target_stride, 2048);
  EXPECT_EQ(all[0].copy_axes()[1].source_stride, 4);
}

/// A column-major shard of (rows, columns) 4-byte elements, all of it into a row-major tile.
Move transposed(std::int64_t rows, std::int64_t columns) {
  return {0, 128, 0, 4, 4, {{columns, 4 * rows, 4}, {rows, 4, 4 * columns}}};
}

TEST(Pieces, OfATranspositionAreLongOnBothSides_DS35) {
  struct Case {
    std::int64_t block;
    std::int64_t least_run;
    std::int64_t least_line;
  };
  for (const Case& c : {Case{256 * kKiB, 8 * kKiB, 64}, Case{kMiB, 8 * kKiB, 256}, Case{4 * kMiB, 32 * kKiB, 256}}) {
    const auto all = pieces(transposed(1000003, 1024), false, {kMiB, c.block, kGap});
    EXPECT_EQ(read_bytes(all), std::int64_t{4} * 1000003 * 1024) << "each byte is read once";
    for (const Piece& piece : all) {
      EXPECT_LE(piece.read_bytes(), c.block);
      EXPECT_GE(piece.run_bytes, c.least_run);
      EXPECT_GE(piece.move.axes[0].count * 4, c.least_line);
    }
  }
}

TEST(Pieces, OfShortColumnsAreOneRange_DS35) {
  const auto all = pieces(transposed(100, 10000), false, {kMiB, kMiB, kGap});
  EXPECT_EQ(read_bytes(all), 4000000);
  EXPECT_LE(all.size(), 5U);
  for (const Piece& piece : all) EXPECT_EQ(piece.runs, 1);
}

TEST(Pieces, OfATranspositionToFewColumnsTakeTheNextAxisToo_DS35) {
  // (100000, 16, 2) column-major: 2 x 4 bytes are no line, but 16 x 2 x 4 bytes are.
  const Move move{0, 0, 0, 4, 4, {{2, 6400000, 4}, {16, 400000, 8}, {100000, 4, 128}}};
  for (const Piece& piece : pieces(move, false, {kMiB, kMiB, kGap})) {
    EXPECT_EQ(piece.move.axes[0].count, 2);
    EXPECT_EQ(piece.move.axes[1].count, 16);
    EXPECT_GE(piece.run_bytes, 16 * kKiB);
  }
}

TEST(Pieces, NoRunGoesOverWhatAnotherPieceReads) {
  // Columns of 4100 rows in blocks of 4096 rows: joining over the 4 rows left would read them twice.
  const auto all = pieces(transposed(4100, 64), false, {kMiB, 64 * kKiB, kGap});
  EXPECT_EQ(read_bytes(all), 4 * 4100 * 64);
}

TEST(Pieces, OfOneElement) {
  const Move one{0, 128, 16, 8, 8, {}};
  const auto all = pieces(one, false, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].in_place);
  EXPECT_EQ(all[0].runs, 1);
  EXPECT_EQ(all[0].run_bytes, 8);
  EXPECT_EQ(all[0].run_offset(0), 128);
  EXPECT_EQ(all[0].run_tile_offset(0), 16);
}

TEST(Pieces, CursorAndLoopAgree) {
  const Move move = transposed(5000, 300);
  plan::PieceCursor cursor(move, false, {});
  std::vector<Piece> pulled;
  while (auto piece = cursor.next()) pulled.push_back(*piece);
  EXPECT_EQ(pulled, pieces(move, false, {}));
  EXPECT_FALSE(cursor.next().has_value());
}

}  // namespace
}  // namespace loadstone
