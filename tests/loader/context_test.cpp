// Loads that share a context: staging memory from one to the next, and one budget for all.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <memory>
#include <string>

#include "support/index_shards.hpp"

namespace loadstone {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
const Shape kShape = {3000, 200};

class ContextTest : public testing::Test {
 protected:
  ContextTest() {
    test::write_index_shards(directory_, kShape, {900, 1100, 1000}, {{}, {true, false, 256}});
    options_.split = 1;  // columns are staged
    options_.budget_bytes = 4 * kMiB;
  }
  [[nodiscard]] DistributedArray load_once(const CommPtr& comm = self_communicator()) const {
    DistributedArray array = load({directory_.path().string()}, options_, comm);
    EXPECT_EQ(test::first_wrong_element<std::int32_t>(array), -1);
    return array;
  }

  test::TempDir directory_;
  LoadOptions options_;
};

TEST_F(ContextTest, IO27TheSecondLoadTakesNoNewStaging) {
  for (const int ranks : {1, 2, 3}) {
    run_threads(ranks, [&](const CommPtr& comm) {
      LoadOptions options = options_;
      options.context = std::make_shared<Context>();
      std::int64_t fresh = 0;
      for (int turn = 0; turn < 3; ++turn) {
        const DistributedArray array = load({directory_.path().string()}, options, comm);
        EXPECT_EQ(test::first_wrong_element<std::int32_t>(array), -1);
        EXPECT_LE(array.stats.peak_bytes, *options_.budget_bytes);
        EXPECT_TRUE(turn == 0 || array.stats.staging_bytes_new == 0);
        fresh += array.stats.staging_bytes_new;
      }
      EXPECT_GT(fresh, 0);
      EXPECT_EQ(options.context->idle_bytes(), fresh);
      options.context->trim();
      EXPECT_EQ(options.context->idle_bytes(), 0);
    });
  }
}

/// Rows land in place, but for the edges of direct reads and for shards that are not aligned as the tile is.
TEST_F(ContextTest, IO27TheEdgesOfDirectReadsAreTakenFromTheContextToo) {
  test::write_index_shards(directory_, kShape, {900, 1100, 1000});
  options_.split = 0;
  options_.budget_bytes = 64 * kMiB;
  options_.io.direct = "on";
  options_.context = std::make_shared<Context>();
  const LoadStats first = load_once().stats;
  if (!first.bytes_by_way.contains("direct")) GTEST_SKIP() << "direct reads are refused here";
  EXPECT_GT(first.staging_bytes_new, 0);
  EXPECT_EQ(options_.context->idle_bytes(), first.staging_bytes_new);
  const LoadStats second = load_once().stats;
  EXPECT_GT(second.bytes_by_way.at("direct"), 0);
  EXPECT_EQ(second.staging_bytes_new, 0);
}

TEST_F(ContextTest, WithoutAContextEachLoadTakesItsOwn) {
  EXPECT_GT(load_once().stats.staging_bytes_new, 0);
  EXPECT_GT(load_once().stats.staging_bytes_new, 0);
}

TEST_F(ContextTest, ALoadOfAnotherKindStaysWithinItsBudget) {
  options_.context = std::make_shared<Context>();
  EXPECT_GT(load_once().stats.staging_bytes_new, kMiB);
  options_.budget_bytes = kMiB;
  EXPECT_LE(load_once().stats.peak_bytes, kMiB);
  EXPECT_LE(options_.context->idle_bytes(), kMiB);
}

TEST_F(ContextTest, IO27LoadsUnderWayShareOneBudget) {
  options_.context = std::make_shared<Context>(6 * kMiB);
  BatchStream under_way({directory_.path().string()}, 500, options_);  // takes 4 of the 6
  try {
    FAIL() << "4 MiB are not free, and yet: " << load_once().stats.budget_bytes;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::budget);
    EXPECT_EQ(error.failure().first().kind, "budget.context");
    EXPECT_EQ(std::get<std::int64_t>(error.failure().first().got), 2 * kMiB);
  }
  options_.budget_bytes.reset();
  EXPECT_EQ(load_once().stats.budget_bytes, 2 * kMiB);
  under_way.close();
  EXPECT_EQ(load_once().stats.budget_bytes, 6 * kMiB);
}

TEST_F(ContextTest, ABudgetOfNothingIsRefused) { EXPECT_THROW(Context(0), Error); }

}  // namespace
}  // namespace loadstone
