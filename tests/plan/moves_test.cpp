// The plan carried out on files in memory: every element of every tile must come, once, from the right place.
#include "plan/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using plan::Piece;
using plan::Problem;
using plan::Sizes;
using testing::ElementsAre;

/// A rank's tile as the plan fills it, with how often each element was written.
class Carried {
 public:
  Carried(const Problem& problem, const std::vector<Image>& images) : problem_(problem), images_(images) {}

  void carry_out(std::int64_t rank, const Sizes& sizes) {
    elements_ = static_cast<std::int64_t>(wanted_tile(problem_, rank).size());
    const auto itemsize = problem_.result_dtype.itemsize;
    tile_.assign(static_cast<std::size_t>(elements_ * itemsize), std::byte{0xA5});
    written_.assign(static_cast<std::size_t>(elements_), 0);
    for (const plan::Move& move : plan::moves_of(problem_, rank)) {
      std::int64_t before = -1;
      plan::for_each_piece(move, plan::must_stage(problem_, move.shard), sizes, [&](const Piece& piece) {
        EXPECT_GT(piece.move.file_offset, before) << "pieces come in the order of their first bytes";
        before = piece.move.file_offset;
        carry_out(piece, sizes);
      });
    }
  }

  [[nodiscard]] std::vector<std::int64_t> values() const {
    std::vector<std::int64_t> values(static_cast<std::size_t>(elements_));
    const CopyAxis axis{elements_, problem_.result_dtype.itemsize, 8};
    const auto lost = copy_elements(tile_.data(), problem_.result_dtype, reinterpret_cast<std::byte*>(values.data()),
                                    dtype_of("i8"), {&axis, 1}, Casting::lossy);
    EXPECT_FALSE(lost.has_value());
    return values;
  }
  [[nodiscard]] const std::vector<int>& written() const { return written_; }
  [[nodiscard]] std::int64_t bytes_read() const { return bytes_read_; }

 private:
  void carry_out(const Piece& piece, const Sizes& sizes) {
    EXPECT_GE(piece.read_bytes(), piece.move.wanted_bytes());
    EXPECT_GT(piece.runs, 0);
    bytes_read_ += piece.read_bytes();
    count(piece);
    if (piece.in_place) {
      EXPECT_EQ(piece.read_bytes(), piece.move.wanted_bytes());
      EXPECT_LE(piece.run_bytes, std::max(sizes.request_bytes, piece.move.file_itemsize));
      for (std::int64_t i = 0; i < piece.runs; ++i) fetch(piece, i, tile_.data() + piece.run_tile_offset(i));
      return;
    }
    EXPECT_LE(piece.read_bytes(), std::max(sizes.block_bytes, piece.move.file_itemsize));
    Image block(static_cast<std::size_t>(piece.read_bytes()));
    for (std::int64_t i = 0; i < piece.runs; ++i) fetch(piece, i, block.data() + i * piece.run_bytes);
    const auto& stored = problem_.dataset->shards[static_cast<std::size_t>(piece.move.shard)].dtype;
    const auto lost = copy_elements(block.data(), stored, tile_.data() + piece.move.tile_offset, problem_.result_dtype,
                                    piece.copy_axes(), problem_.casting);
    EXPECT_FALSE(lost.has_value());
  }

  void fetch(const Piece& piece, std::int64_t run, std::byte* to) const {
    const std::int64_t offset = piece.run_offset(run);
    const auto& shard = problem_.dataset->shards[static_cast<std::size_t>(piece.move.shard)];
    const Image& image = images_[static_cast<std::size_t>(shard.file)];
    ASSERT_GE(offset, shard.data_offset);
    ASSERT_LE(offset + piece.run_bytes, static_cast<std::int64_t>(image.size())) << "a run leaves the payload";
    if (run > 0) {
      ASSERT_GE(offset, piece.run_offset(run - 1) + piece.run_bytes) << "runs ascend and do not overlap";
    }
    std::memcpy(to, image.data() + offset, static_cast<std::size_t>(piece.run_bytes));
  }

  void count(const Piece& piece) {
    Shape counts;
    for (const plan::MoveAxis& axis : piece.move.axes) counts.push_back(axis.count);
    for_each_index(counts, [&](const Shape& index) {
      std::int64_t at = piece.move.tile_offset;
      for (std::size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * piece.move.axes[axis].tile_stride;
      ++written_.at(static_cast<std::size_t>(at / problem_.result_dtype.itemsize));
    });
  }

  const Problem& problem_;
  const std::vector<Image>& images_;
  std::int64_t elements_ = 0;
  std::int64_t bytes_read_ = 0;
  Image tile_;
  std::vector<int> written_;
};

void expect_carried_out(const Problem& problem, const Sizes& sizes) {
  const std::vector<Image> images = images_of(*problem.dataset);
  for (std::int64_t rank = 0; rank < problem.target.ranks(); ++rank) {
    Carried carried(problem, images);
    carried.carry_out(rank, sizes);
    const auto wanted = wanted_tile(problem, rank);
    ASSERT_EQ(carried.values(), wanted) << "rank " << rank << " of " << problem.target.to_string();
    ASSERT_THAT(carried.written(), testing::Each(1)) << "each element is written once";
    std::int64_t bytes = 0;
    for (const Overlap& overlap : plan::overlaps_of(problem, rank)) bytes += overlap.nbytes;
    std::int64_t moved = 0;
    for (const auto& move : plan::moves_of(problem, rank)) moved += move.wanted_bytes();
    ASSERT_EQ(bytes, moved);
    ASSERT_GE(carried.bytes_read(), bytes);
  }
}

Slice random_slice(std::mt19937_64& random, std::int64_t extent) {
  Slice slice;
  if (pick(random, 0, 2) > 0) slice.begin = pick(random, -extent - 1, extent + 1);
  if (pick(random, 0, 2) > 0) slice.end = pick(random, -extent - 1, extent + 1);
  if (pick(random, 0, 1) > 0) slice.step = pick(random, 1, 4);
  return slice;
}

Selection random_selection(std::mt19937_64& random, const Shape& shape) {
  Selection selection;
  for (const std::int64_t extent : shape) {
    if (pick(random, 0, 3) == 0) break;
    if (extent > 0 && pick(random, 0, 4) == 0) {
      selection.emplace_back(pick(random, -extent, extent - 1));
    } else {
      selection.emplace_back(pick(random, 0, 1) == 0 ? Slice{} : random_slice(random, extent));
    }
  }
  return selection;
}

Dataset random_dataset(std::mt19937_64& random) {
  Shape shape(static_cast<std::size_t>(pick(random, 1, 4)));
  for (std::int64_t& extent : shape) extent = pick(random, 0, 9) == 0 ? 0 : pick(random, 1, 10);
  shape.front() = pick(random, 0, 40);
  const std::array types{"<i8", "<i4", ">i4", "<f8", ">i8", "<u2"};
  const bool mixed = pick(random, 0, 2) == 0;
  const auto& type = types[static_cast<std::size_t>(pick(random, 0, 5))];
  Dataset dataset = dataset_of(shape, random_rows(random, shape.front(), pick(random, 1, 6)), dtype_of(type));
  for (Shard& shard : dataset.shards) {
    const std::int64_t elements = shard.nbytes / shard.dtype.itemsize;
    if (mixed) shard.dtype = dtype_of(types[static_cast<std::size_t>(pick(random, 0, 5))]);
    shard.nbytes = elements * shard.dtype.itemsize;
    shard.data_offset = pick(random, 0, 300);
    if (pick(random, 0, 2) == 0) shard.order = StorageOrder::f;
  }
  dataset.dtype = dataset.dtype.native();
  return dataset;
}

/// Puts the shards into a few files: many touch, some leave a gap, and their order there may be another.
void share_files(std::mt19937_64& random, Dataset& dataset) {
  std::vector<std::size_t> order(dataset.shards.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (pick(random, 0, 1) == 0) std::shuffle(order.begin(), order.end(), random);
  std::vector<std::int64_t> ends(static_cast<std::size_t>(pick(random, 1, 3)), pick(random, 0, 300));
  std::size_t file = 0;
  for (const std::size_t at : order) {
    if (pick(random, 0, 4) == 0) file = static_cast<std::size_t>(pick(random, 0, std::ssize(ends) - 1));
    Shard& shard = dataset.shards[at];
    shard.file = static_cast<std::int64_t>(file);
    shard.data_offset = ends[file] + (pick(random, 0, 3) == 0 ? pick(random, 1, 50) : 0);
    ends[file] = shard.data_offset + shard.nbytes;
  }
  dataset.files.resize(ends.size());
}

LoadOptions random_options(std::mt19937_64& random, const Shape& shape) {
  LoadOptions options;
  options.select = random_selection(random, shape);
  options.casting = Casting::lossy;
  options.tiles = pick(random, 0, 1) == 0 ? Tiles::balanced : Tiles::ceil;
  options.overdecompose = pick(random, 0, 3) == 0 ? pick(random, 2, 5) : 1;
  if (pick(random, 0, 3) == 0) options.dtype = dtype_of("f8");
  if (pick(random, 0, 4) == 0) options.io.landing = "staged";
  const Shape selected = plan::resolve_selection(shape, {}, options.select)->shape();
  const auto ndim = static_cast<std::int64_t>(selected.size());
  options.split = ndim == 0 ? 0 : pick(random, -ndim, ndim - 1);
  if (pick(random, 0, 5) == 0) options.split.reset();
  return options;
}

TEST(Moves, CoverEveryTileOnceFromTheRightPlaces_DS48_DS52_DS53) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 400; ++round) {
    const Dataset dataset = random_dataset(random);
    const LoadOptions options = random_options(random, dataset.shape);
    const auto problem = plan::make_problem(dataset, options, pick(random, 1, 6));
    ASSERT_TRUE(problem.ok()) << describe(problem.status().failure());
    const Sizes sizes{pick(random, 1, 600), pick(random, 8, 600), pick(random, 0, 200)};
    SCOPED_TRACE("round " + std::to_string(round));
    expect_carried_out(*problem, sizes);
    if (HasFatalFailure()) return;
  }
}

TEST(Moves, OfShardsThatShareFilesGoThroughEachOnce_IO25) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 400; ++round) {
    Dataset dataset = random_dataset(random);
    share_files(random, dataset);
    LoadOptions options = random_options(random, dataset.shape);
    const auto problem = plan::make_problem(dataset, options, pick(random, 1, 6));
    ASSERT_TRUE(problem.ok()) << describe(problem.status().failure());
    SCOPED_TRACE("round " + std::to_string(round));
    expect_carried_out(*problem, {pick(random, 1, 600), pick(random, 8, 600), pick(random, 0, 200)});
    if (HasFatalFailure()) return;
    if (options.overdecompose > 1) continue;
    std::pair<std::int64_t, std::int64_t> before{-1, -1};
    for (const plan::Move& move : plan::moves_of(*problem, 0)) {
      const std::pair place{dataset.shards[static_cast<std::size_t>(move.shard)].file, move.file_offset};
      ASSERT_LE(before, place);
      before = place;
    }
  }
}

TEST(Moves, TenThousandRangesThatTouchAreOne) {
  Dataset dataset = dataset_of({50'000, 3}, std::vector<std::int64_t>(10'000, 5), dtype_of("<i4"));
  for (std::size_t at = 0; at < dataset.shards.size(); ++at) {
    dataset.shards[at].file = 0;
    dataset.shards[at].data_offset = 900'021 + static_cast<std::int64_t>(at) * 60;
  }
  for (const char* const type : {"<i4", "<f8"}) {
    LoadOptions options;
    options.dtype = dtype_of(type);
    options.casting = Casting::lossy;
    const auto problem = value_or_throw(plan::make_problem(dataset, options, 3));
    const std::vector<plan::Move> moves = plan::moves_of(problem, 1);
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves.front().shard, 0);
    EXPECT_EQ(moves.front().file_offset, 900'021 + 16'667 * 12);
    EXPECT_EQ(moves.front().wanted_bytes(), 16'667 * 12);
    EXPECT_EQ(plan::overlaps_of(problem, 1).size(), 3334U) << "the plan still names each shard";
  }
}

TEST(Moves, AnyTargetWorks_ARA2_ARF1) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  using Kind = AxisRule::Kind;
  for (int round = 0; round < 60; ++round) {
    const Dataset dataset = random_dataset(random);
    LoadOptions options;
    options.casting = Casting::lossy;
    options.overdecompose = pick(random, 1, 3);
    auto problem = plan::make_problem(dataset, options, 6);
    ASSERT_TRUE(problem.ok());
    std::vector<AxisRule> rules(dataset.shape.size());
    rules.front() = {Kind::cyclic, {}, pick(random, 1, 5), {1}};
    if (rules.size() > 1) rules.back() = {Kind::even, {}, 0, {0}};
    problem->target = problem->tiles = Distribution::mesh(dataset.shape, {{2, 3}, {5, 4, 3, 2, 1, 0}}, rules);
    expect_carried_out(*problem, {pick(random, 8, 300), pick(random, 8, 300), 64});
    if (HasFatalFailure()) return;
  }
}

// ---- figures --------------------------------------------------------------------------------------------------------

Dataset a2() { return dataset_of({6020, 256}, {1200, 350, 2048, 17, 999, 1406}, dtype_of("<f4")); }

Problem problem_of(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks) {
  return value_or_throw(plan::make_problem(dataset, options, ranks));
}

std::vector<std::array<std::int64_t, 5>> brief(const std::vector<Overlap>& overlaps) {
  std::vector<std::array<std::int64_t, 5>> rows;
  for (const Overlap& o : overlaps) rows.push_back({o.shard, o.rows.begin, o.rows.end, o.to.begin, o.to.end});
  return rows;
}

TEST(Overlaps, OfTheSecondScenario_A2) {
  const Dataset dataset = a2();
  const Problem problem = problem_of(dataset, {}, 4);
  std::vector<std::size_t> counts;
  for (int rank = 0; rank < 4; ++rank) counts.push_back(plan::overlaps_of(problem, rank).size());
  EXPECT_THAT(counts, ElementsAre(2, 2, 3, 2));
  using Row = std::array<std::int64_t, 5>;
  EXPECT_THAT(brief(plan::overlaps_of(problem, 2)),
              ElementsAre(Row{2, 1460, 2048, 0, 588}, Row{3, 0, 17, 588, 605}, Row{4, 0, 900, 605, 1505}));
  EXPECT_EQ(plan::overlaps_of(problem, 2)[0].offset, 128 + 1460 * 1024);
  EXPECT_EQ(plan::overlaps_of(problem, 2)[0].nbytes, 588 * 1024);
}

TEST(Overlaps, OneShardOneRank_A1) {
  const Dataset dataset = dataset_of({8000000, 16}, std::vector<std::int64_t>(8, 1000000), dtype_of("<f4"));
  for (int rank = 0; rank < 8; ++rank) {
    const auto overlaps = plan::overlaps_of(problem_of(dataset, {}, 8), rank);
    ASSERT_EQ(overlaps.size(), 1U);
    EXPECT_EQ(overlaps[0], (Overlap{rank, {0, 1000000}, {0, 1000000}, 128, 64000000}));
  }
}

TEST(Overlaps, EmptyShardsAreInNone_DS33) {
  const Dataset dataset = dataset_of({7}, {0, 3, 0, 0, 4, 0}, dtype_of("<i8"));
  using Row = std::array<std::int64_t, 5>;
  EXPECT_THAT(brief(plan::overlaps_of(problem_of(dataset, {}, 3), 1)), ElementsAre(Row{4, 0, 2, 0, 2}));
}

TEST(Overlaps, StepsAndDroppedAxes_DS53) {
  const Dataset dataset = dataset_of({20, 5}, {8, 12}, dtype_of("<i8"));
  LoadOptions options;
  options.select = parse_selection("1::7,-2");  // rows 1, 8, 15 of column 3
  const auto overlaps = plan::overlaps_of(problem_of(dataset, options, 1), 0);
  ASSERT_EQ(overlaps.size(), 2U);
  EXPECT_EQ(overlaps[0], (Overlap{0, {1, 2}, {0, 1}, 128 + (1 * 5 + 3) * 8, 8}));
  EXPECT_EQ(overlaps[1], (Overlap{1, {0, 8}, {1, 3}, 128 + 3 * 8, 16}));
  options.select = parse_selection("9");
  EXPECT_EQ(plan::overlaps_of(problem_of(dataset, options, 2), 1)[0],
            (Overlap{1, {1, 2}, {0, 1}, 128 + 5 * 8 + 24, 16}));
}

TEST(Overlaps, OfA0dArray_DS32) {
  Dataset dataset = dataset_of({}, {1}, dtype_of("<f8"));
  const Problem problem = problem_of(dataset, {}, 3);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(plan::overlaps_of(problem, rank), ElementsAre(Overlap{0, {0, 1}, {0, 1}, 128, 8}));
    EXPECT_EQ(plan::moves_of(problem, rank), std::vector<plan::Move>({{0, 128, 0, 8, 8, {}}}));
  }
}

TEST(Moves, MergeAxes) {
  const Dataset dataset = a2();
  using Axis = plan::MoveAxis;
  const auto whole = plan::moves_of(problem_of(dataset, {}, 4), 2);
  EXPECT_EQ(whole[0], (plan::Move{2, 128 + 1460 * 1024, 0, 4, 4, {Axis{588 * 256, 4, 4}}}));
  EXPECT_EQ(whole[1], (plan::Move{3, 128, 588 * 1024, 4, 4, {Axis{17 * 256, 4, 4}}}));
  LoadOptions columns;
  columns.split = 1;
  const auto inner = plan::moves_of(problem_of(dataset, columns, 4), 3);
  EXPECT_EQ(inner[1], (plan::Move{1, 128 + 768, 1200 * 256, 4, 4, {Axis{350, 1024, 256}, Axis{64, 4, 4}}}));
}

TEST(Moves, AreReversedForColumnMajorShards_DS35) {
  Dataset dataset = dataset_of({10, 3}, {10}, dtype_of("<f8"));
  dataset.shards[0].order = StorageOrder::f;
  using Axis = plan::MoveAxis;
  EXPECT_EQ(plan::moves_of(problem_of(dataset, {}, 2), 1),
            std::vector<plan::Move>({{0, 128 + 40, 0, 8, 8, {Axis{3, 80, 8}, Axis{5, 8, 24}}}}));
}

TEST(Moves, OfOverdecomposedTilesAreCutAlongTheSplit_DS47) {
  const Dataset dataset = dataset_of({23}, {23}, dtype_of("<i4"));
  LoadOptions options;
  options.overdecompose = 5;
  std::vector<std::int64_t> counts;
  for (const auto& move : plan::moves_of(problem_of(dataset, options, 4), 0)) counts.push_back(move.elements());
  EXPECT_THAT(counts, ElementsAre(2, 1, 1, 1, 1));
}

TEST(Moves, NoneForElementsWithoutBytes) {
  const Dataset dataset = dataset_of({5}, {5}, DType{Kind::bytes, 0, ByteOrder::none, {}});
  EXPECT_TRUE(plan::moves_of(problem_of(dataset, {}, 2), 0).empty());
}

TEST(Moves, AreTheSameEveryTime) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 30; ++round) {
    const Dataset dataset = random_dataset(random);
    const LoadOptions options = random_options(random, dataset.shape);
    const Problem a = problem_of(dataset, options, 3);
    const Problem b = problem_of(dataset, options, 3);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(plan::overlaps_of(a, rank), plan::overlaps_of(b, rank));
      EXPECT_EQ(plan::moves_of(a, rank), plan::moves_of(b, rank));
    }
  }
}

TEST(Moves, OfExtentsBeyondEveryFile_ARA6) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  const Dataset dataset = dataset_of({big}, {big / 2, big - big / 2}, dtype_of("u1"));
  const Problem problem = problem_of(dataset, {}, 3);
  std::int64_t end = 0;
  for (int rank = 0; rank < 3; ++rank) {
    for (const auto& move : plan::moves_of(problem, rank)) {
      EXPECT_EQ(dataset.row_index[static_cast<std::size_t>(move.shard)] + move.file_offset - 128, end);
      end += move.elements();
    }
  }
  EXPECT_EQ(end, big);
}

}  // namespace
}  // namespace loadstone
