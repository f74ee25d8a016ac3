#include "plan/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using testing::HasSubstr;

LoadPlan planned(const Dataset& dataset, LoadOptions options, std::int64_t ranks,
                 std::optional<std::int64_t> only_rank = std::nullopt) {
  if (!options.budget_bytes) options.budget_bytes = std::int64_t{64} << 20;
  const auto problem = value_or_throw(plan::make_problem(dataset, options, ranks));
  return plan::explain(problem, value_or_throw(plan::fit_budget(problem)), only_rank);
}

Dataset a2() { return dataset_of({6020, 256}, {1200, 350, 2048, 17, 999, 1406}, dtype_of("<f4")); }

TEST(Explain, CountsWhatIsReadAndWanted_DS61_A2) {
  const LoadPlan plan = planned(a2(), {}, 4);
  EXPECT_EQ(plan.strategy, "direct");
  EXPECT_EQ(plan.tiles, "balanced");
  EXPECT_EQ(plan.split, 0);
  EXPECT_EQ(plan.bytes_wanted, 6020 * 1024);
  EXPECT_EQ(plan.bytes_read, plan.bytes_wanted);
  EXPECT_EQ(plan.bytes_sent, 0);
  EXPECT_EQ(plan.block_bytes, 0);
  EXPECT_EQ(plan.peak_bytes, 0);
  EXPECT_TRUE(plan.totals_exact);
  std::int64_t requests = 0;
  std::int64_t wanted = 0;
  for (const RankPlan& rank : plan.ranks) {
    requests += rank.requests;
    wanted += rank.bytes_wanted;
  }
  EXPECT_EQ(plan.requests, requests);
  EXPECT_EQ(plan.bytes_wanted, wanted);
  EXPECT_THAT(plan.reason, HasSubstr("straight into its tile"));
}

TEST(Explain, ReadsOnceForEverySplit_A11) {
  const Dataset dataset = dataset_of({8192, 256}, {3000, 1, 2191, 3000}, dtype_of("<f4"));
  for (const std::int64_t split : {0, 1}) {
    for (const std::int64_t ranks : {1, 3, 4}) {
      LoadOptions options;
      options.split = split;
      const LoadPlan plan = planned(dataset, options, ranks);
      EXPECT_EQ(plan.bytes_wanted, 8192 * 1024);
      EXPECT_LE(plan.bytes_read, plan.bytes_wanted * 102 / 100) << split << " over " << ranks;
    }
  }
}

TEST(Explain, RangesOfAFileThatTouchShareRequests) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  Dataset dataset = dataset_of({40 * kMiB}, std::vector<std::int64_t>(10'240, 4096), dtype_of("u1"));
  for (std::size_t at = 0; at < dataset.shards.size(); ++at) {
    dataset.shards[at].file = 0;
    dataset.shards[at].data_offset = 21 + static_cast<std::int64_t>(at) * 4096;
  }
  EXPECT_EQ(planned(dataset, {}, 1).requests, 41) << "cut at multiples of 1 MiB in the file";
  EXPECT_LE(planned(dataset, {}, 4).requests, 40 + 4 * 2);
  EXPECT_EQ(planned(dataset, {}, 4).ranks[3].overlaps.size(), 2560U);
  EXPECT_EQ(planned(dataset, {}, 4).bytes_wanted, 40 * kMiB);
}

TEST(Explain, TotalsOfWantedBytesAreClosedFormAndEqualTheSum_DS61) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 200; ++round) {
    Dataset dataset = dataset_of({pick(random, 0, 30), 5, 3}, {}, dtype_of("<f4"));
    dataset = dataset_of(dataset.shape, random_rows(random, dataset.shape[0], 4), dtype_of("<f4"));
    dataset.shards.front().dtype = dtype_of("<f8");
    LoadOptions options;
    options.dtype = dtype_of("f8");
    options.select = {Slice{pick(random, 0, 9), {}, pick(random, 1, 3)}, pick(random, 0, 4)};
    options.split = pick(random, 0, 1);
    if (pick(random, 0, 3) == 0) options.split.reset();
    const LoadPlan plan = planned(dataset, options, 3);
    std::int64_t wanted = 0;
    for (const RankPlan& rank : plan.ranks) wanted += rank.bytes_wanted;
    ASSERT_EQ(plan.bytes_wanted, wanted);
    const LoadPlan part = planned(dataset, options, 3, 1);
    ASSERT_EQ(part.bytes_wanted, wanted);
    ASSERT_EQ(part.ranks.size(), 1U);
    ASSERT_EQ(part.ranks[0].overlaps, plan.ranks[1].overlaps);
    ASSERT_FALSE(part.totals_exact);
    ASSERT_EQ(part.requests, plan.ranks[1].requests);
  }
}

TEST(Explain, SaysWhyBytesAreStaged) {
  Dataset dataset = a2();
  dataset.shards[1].order = StorageOrder::f;
  dataset.shards[2].dtype = dtype_of(">f4");
  const LoadPlan plan = planned(dataset, {}, 4);
  EXPECT_THAT(plan.reason, HasSubstr("1 of 6 shards converted to float32, 1 of 6 shards transposed"));
  EXPECT_GT(plan.block_bytes, 0);
  LoadOptions columns;
  columns.select = parse_selection(":,::2");
  EXPECT_THAT(planned(a2(), columns, 4).reason, HasSubstr("short runs read with the gaps between them"));
  LoadOptions nothing;
  nothing.rows = Slice{0, 0, 1};
  EXPECT_THAT(planned(a2(), nothing, 4).reason, HasSubstr("nothing is read"));
}

TEST(Explain, OneRankOfManyOverManyShardsIsQuick_DS61) {
  const Dataset dataset = dataset_of({10000}, std::vector<std::int64_t>(10000, 1), dtype_of("u2"));
  const auto began = std::chrono::steady_clock::now();
  const LoadPlan plan = planned(dataset, {}, 4096, 4095);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(plan.ranks[0].box, (Box{{9998, 10000}}));
  ASSERT_EQ(plan.ranks[0].overlaps.size(), 2U);
  EXPECT_EQ(plan.ranks[0].overlaps[1].shard, 9999);
  EXPECT_LT(took.count(), 0.5) << "a hang limit: the work is some milliseconds";
}

TEST(Explain, IsTheSameEveryTime_DS61) {
  LoadOptions options;
  options.split = 1;
  EXPECT_EQ(planned(a2(), options, 5).to_json(), planned(a2(), options, 5).to_json());
}

TEST(Explain, MoreThan2To31Rows_DS48) {
  const std::int64_t big = (std::int64_t{1} << 31) + 10;
  const LoadPlan plan = planned(dataset_of({big + 6}, {big, 6}, dtype_of("u1")), {}, 2);
  EXPECT_EQ(plan.ranks[1].box, (Box{{(std::int64_t{1} << 30) + 8, big + 6}}));
  EXPECT_EQ(plan.ranks[1].overlaps[0].rows, (Interval{(std::int64_t{1} << 30) + 8, big}));
  EXPECT_EQ(plan.rounds, 2);
}

}  // namespace
}  // namespace loadstone
