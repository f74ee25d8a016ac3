#include "loader/stream_plan.hpp"

#include <gtest/gtest.h>
#include <loadstone/load.hpp>

#include "support/index_shards.hpp"

namespace loadstone::loader {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// 64 MiB of 1 KiB rows that nobody reads: only the header is written.
class StreamPlanTest : public testing::Test {
 protected:
  StreamPlanTest() {
    test::write_index_shards(directory_, {1, 256}, {1});
    dataset_ = open({directory_.path().string()});
    dataset_.shape[0] = 64 * 1024;
    dataset_.row_index = {0, 64 * 1024};
    dataset_.shards.front().rows = 64 * 1024;
    dataset_.shards.front().nbytes = 64 * kMiB;
  }

  [[nodiscard]] std::int64_t ahead(std::int64_t batch_bytes, std::int64_t budget, const char* dtype = "int32") const {
    LoadOptions options;
    options.split = 0;
    options.dtype = parse_dtype(dtype);
    Settings settings;
    settings.budget_bytes = budget;
    const auto plan = plan_stream(dataset_, options, {{0, 1, 64 * 1024}, batch_bytes / 1024}, settings);
    return plan ? plan->ahead : 0;
  }

  test::TempDir directory_;
  Dataset dataset_;
};

TEST_F(StreamPlanTest, SoManyBatchesAheadThatTheDeviceIsBusy) {
  EXPECT_EQ(ahead(16 * kMiB, 1024 * kMiB), 4);
  EXPECT_EQ(ahead(8 * kMiB, 1024 * kMiB), 7);
  EXPECT_EQ(ahead(1 * kMiB, 1024 * kMiB), 8) << "no more than that";
  EXPECT_EQ(ahead(32 * kMiB, 1024 * kMiB), 2) << "there are no more";
  EXPECT_EQ(ahead(64 * kMiB, 1024 * kMiB), 0) << "one batch";
}

TEST_F(StreamPlanTest, NoMoreThanTheBudgetHolds) {
  EXPECT_EQ(ahead(8 * kMiB, 56 * kMiB), 6) << "the index takes some of it";
  EXPECT_EQ(ahead(8 * kMiB, 17 * kMiB), 2);
  EXPECT_EQ(ahead(8 * kMiB, 16 * kMiB), 0);
}

TEST_F(StreamPlanTest, WhereBatchesAreStagedHalfIsLeftForTheirBlocks) {
  EXPECT_EQ(ahead(2 * kMiB, 32 * kMiB, "float64"), 4) << "each is 4 MiB as float64";
  EXPECT_EQ(ahead(8 * kMiB, 48 * kMiB, "float64"), 2) << "two where they fit at all";
}

TEST(BatchCuts, TheLastOneMayHaveFewerRows) {
  const BatchCuts cuts{{5, 1, 11}, 4};
  EXPECT_EQ(cuts.count(), 3);
  EXPECT_EQ(cuts.batch(0), (Slice{5, 9, 1}));
  EXPECT_EQ(cuts.batch(2), (Slice{13, 16, 1}));
  EXPECT_EQ((BatchCuts{{5, 1, 0}, 4}.count()), 0);
  EXPECT_EQ((BatchCuts{{0, 1, 3}, std::int64_t{1} << 62}.batch(0)), (Slice{0, 3, 1}));
}

TEST(BatchCuts, StepsAreKept) {
  const BatchCuts cuts{{5, 3, 5}, 2};  // rows 5 8, 11 14, 17
  EXPECT_EQ(cuts.batch(0), (Slice{5, 9, 3}));
  EXPECT_EQ(cuts.batch(1), (Slice{11, 15, 3}));
  EXPECT_EQ(cuts.batch(2), (Slice{17, 18, 3}));
  EXPECT_EQ(cuts.all(), (Slice{5, 18, 3}));
}

}  // namespace
}  // namespace loadstone::loader
