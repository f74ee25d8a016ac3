#include "plan/demand.hpp"
#include "plan/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using plan::Budgeting;
using plan::fit_budget;
using plan::Problem;
using testing::HasSubstr;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kSmallest = 256 * kKiB + plan::kEdgeBytes;

/// 128 MiB of 4-byte elements; big-endian unless asked.
Dataset large(std::string_view dtype = ">f4") { return dataset_of({131072, 256}, {131072}, dtype_of(dtype)); }

Problem problem_of(const Dataset& dataset, const LoadOptions& options = {}, std::int64_t ranks = 2) {
  return value_or_throw(plan::make_problem(dataset, options, ranks));
}

Budgeting fitted(Problem problem, std::int64_t budget) {
  problem.budget_bytes = budget;
  return value_or_throw(fit_budget(problem));
}

TEST(Budget, StatesTheSmallestThatWorks_DS60_M4_IO29) {
  const Dataset dataset = large();
  Problem problem = problem_of(dataset);
  problem.metadata_bytes = 1000;
  problem.budget_bytes = 1;
  problem.budget_guessed = false;
  const auto refused = fit_budget(problem);
  ASSERT_FALSE(refused.ok());
  const Fault& fault = refused.status().failure().first();
  EXPECT_EQ(fault.code, Code::budget);
  EXPECT_EQ(fault.kind, "budget");
  EXPECT_EQ(fault.wanted, Value(1000 + kSmallest));
  EXPECT_EQ(fault.got, Value(std::int64_t{1}));
  EXPECT_THAT(fault.message, testing::Not(HasSubstr("guessed")));

  problem.budget_bytes = 1000 + kSmallest;
  const auto least = fit_budget(problem);
  ASSERT_TRUE(least.ok());
  EXPECT_EQ(least->blocks, 1);
  EXPECT_EQ(least->peak_bytes, problem.budget_bytes);
  problem.budget_bytes -= 1;
  EXPECT_EQ(fit_budget(problem).status().failure().first().wanted, Value(1000 + kSmallest));
  problem.budget_guessed = true;
  EXPECT_THAT(fit_budget(problem).status().failure().first().message, HasSubstr("guessed"));
}

TEST(Budget, OfMetadataAloneWhereEverythingLandsInPlace_IO29) {
  const Dataset dataset = large("<f4");
  Problem problem = problem_of(dataset);
  problem.metadata_bytes = 1000;
  problem.budget_bytes = 1000;
  const auto budgeting = fit_budget(problem);
  ASSERT_TRUE(budgeting.ok());
  EXPECT_FALSE(budgeting->staging_needed);
  EXPECT_EQ(budgeting->blocks, 0);
  EXPECT_EQ(budgeting->peak_bytes, 1000);
  problem.budget_bytes = 999;
  EXPECT_EQ(fit_budget(problem).status().failure().first().wanted, Value(std::int64_t{1000}));
}

TEST(Budget, IsNeverPassedAndIsSpentInOrder_IO23_M2) {
  const Dataset dataset = large();
  const Problem problem = problem_of(dataset);
  Budgeting before;
  for (std::int64_t budget = kSmallest; budget < 64 * kMiB; budget += 97 * kKiB) {
    const Budgeting now = fitted(problem, budget);
    EXPECT_LE(now.peak_bytes, budget);
    EXPECT_EQ(now.peak_bytes, now.blocks * (now.sizes.block_bytes + plan::kEdgeBytes));
    EXPECT_EQ(now.sizes.block_bytes % 4096, 0);
    EXPECT_TRUE(now.sizes.block_bytes == 256 * kKiB || now.blocks >= 4) << "blocks grow once there are four";
    EXPECT_TRUE(now.sizes.block_bytes == kMiB || now.blocks <= 5) << "depth grows once blocks are full";
    before = now;
  }
  EXPECT_EQ(before.sizes.block_bytes, kMiB);
  EXPECT_EQ(before.blocks, 32);
}

TEST(Budget, IsNotSpentOnMoreThanTheData) {
  const Dataset dataset = dataset_of({300000}, {300000}, dtype_of(">f8"));  // 2.4 MB, half a rank
  const Budgeting budgeting = fitted(problem_of(dataset), 512 * kMiB);
  EXPECT_LE(budgeting.peak_bytes, 2 * (kMiB + plan::kEdgeBytes));
  const Dataset small = dataset_of({10}, {10}, dtype_of(">f8"));
  EXPECT_EQ(fitted(problem_of(small), 512 * kMiB).peak_bytes, kSmallest);
}

TEST(Budget, GivesTranspositionsLargerBlocks_DS35) {
  Dataset dataset = large("<f4");
  dataset.shards[0].order = StorageOrder::f;
  const Problem problem = problem_of(dataset);
  EXPECT_EQ(fitted(problem, 512 * kMiB).sizes.block_bytes, 4 * kMiB);
  EXPECT_EQ(fitted(problem, 8 * kMiB).blocks, 4);
  EXPECT_LE(fitted(problem, 8 * kMiB).peak_bytes, 8 * kMiB);
}

TEST(Budget, HoldsOneElementAtLeast) {
  const Dataset dataset = dataset_of({3}, {3}, DType{Kind::text, 4000000, dtype_of(">f4").byte_order, {}});
  Problem problem = problem_of(dataset);
  problem.budget_bytes = 1;
  const auto wanted = std::get<std::int64_t>(fit_budget(problem).status().failure().first().wanted);
  EXPECT_EQ(wanted, (4000000 + 4095) / 4096 * 4096 + plan::kEdgeBytes);
  EXPECT_GE(fitted(problem, wanted).sizes.block_bytes, 4000000);
}

TEST(Budget, ObeysTheRequestThatWasAskedFor_IO22) {
  const Dataset dataset = large();
  LoadOptions options;
  options.io.request_bytes = 8 * kMiB;
  EXPECT_EQ(fitted(problem_of(dataset, options), 512 * kMiB).sizes.block_bytes, 8 * kMiB);
  options.io.request_bytes = 64 * kKiB;
  EXPECT_EQ(fitted(problem_of(dataset, options), 512 * kMiB).sizes.request_bytes, 64 * kKiB);
}

// ---- demand ---------------------------------------------------------------------------------------------------------

TEST(Demand, KnowsWhatStages) {
  const auto stages = [](const Dataset& dataset, const LoadOptions& options = {}, std::int64_t ranks = 4) {
    return plan::demand_of(problem_of(dataset, options, ranks)).staging;
  };
  LoadOptions columns;
  columns.split = 1;
  EXPECT_FALSE(stages(large("<f4")));
  EXPECT_FALSE(stages(large("<f4"), columns)) << "runs of 256 bytes land in place";
  EXPECT_TRUE(stages(large("<f4"), columns, 5)) << "runs of 208 bytes do not";
  EXPECT_TRUE(stages(large(">f4")));
  LoadOptions staged;
  staged.io.landing = "staged";
  EXPECT_TRUE(stages(large("<f4"), staged));
  LoadOptions steps;
  steps.select = parse_selection(":,::2");
  EXPECT_TRUE(stages(large("<f4"), steps));
  LoadOptions nothing;
  nothing.rows = Slice{5, 5, 1};
  EXPECT_FALSE(stages(large(">f4"), nothing));
}

TEST(Demand, LooksOnlyAtShardsThatAreRead_DS54) {
  Dataset dataset = dataset_of({30}, {10, 10, 10}, dtype_of("<f4"));
  dataset.shards[2].dtype = dtype_of(">f4");
  LoadOptions options;
  options.rows = Slice{0, 20, 1};
  EXPECT_FALSE(plan::demand_of(problem_of(dataset, options)).staging);
  options.rows = Slice{0, 21, 1};
  EXPECT_TRUE(plan::demand_of(problem_of(dataset, options)).staging);
}

/// Whatever the planner says cannot happen, must not happen on any rank.
TEST(Demand, IsNeverLessThanWhatRanksNeed) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 600; ++round) {
    Shape shape(static_cast<std::size_t>(pick(random, 1, 4)));
    for (std::int64_t& extent : shape) extent = pick(random, 1, 3) == 1 ? pick(random, 1, 3) : pick(random, 1, 400);
    Dataset dataset = dataset_of(shape, random_rows(random, shape.front(), pick(random, 1, 4)), dtype_of("<f4"));
    if (pick(random, 0, 3) == 0) dataset.shards.front().order = StorageOrder::f;
    LoadOptions options;
    options.split = pick(random, 0, std::ssize(shape) - 1);
    options.overdecompose = pick(random, 1, 3);
    if (pick(random, 0, 2) == 0) options.select.emplace_back(Slice{{}, {}, pick(random, 1, 2)});
    if (pick(random, 0, 1) == 0) {
      const std::int64_t extent = shape[static_cast<std::size_t>(*options.split)];
      if (options.select.empty()) options.rows_per_rank = random_rows(random, extent, 5);
    }
    const Problem problem = problem_of(dataset, options, 5);
    bool staged = false;
    for (int rank = 0; rank < 5; ++rank) {
      for (const plan::Move& move : plan::moves_of(problem, rank)) {
        plan::for_each_piece(move, false, {}, [&](const plan::Piece& piece) { staged = staged || !piece.in_place; });
      }
    }
    ASSERT_TRUE(plan::demand_of(problem).staging || !staged) << "round " << round;
  }
}

TEST(Rounds, AreCountedByTheLargestTile) {
  const std::int64_t gib = std::int64_t{1} << 30;
  const auto rounds = [](std::int64_t rows, std::int64_t ranks) {
    const Dataset dataset = dataset_of({rows}, {rows}, dtype_of("u1"));
    return plan::rounds_of(problem_of(dataset, {}, ranks));
  };
  EXPECT_EQ(rounds(0, 1), 1);
  EXPECT_EQ(rounds(gib, 1), 1);
  EXPECT_EQ(rounds(gib + 1, 1), 2);
  EXPECT_EQ(rounds(10 * gib, 4), 3);
}

}  // namespace
}  // namespace loadstone
