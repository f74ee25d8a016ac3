#include "plan/chains.hpp"

#include "plan/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using plan::chain_starts;
using testing::ElementsAre;

/// Shards of rows of 3 int32 in one file, one after the other from byte 7 on.
Dataset touching(const std::vector<std::int64_t>& rows) {
  std::int64_t total = 0;
  for (const std::int64_t count : rows) total += count;
  Dataset dataset = dataset_of({total, 3}, rows, dtype_of("<i4"));
  std::int64_t at = 7;
  for (Shard& shard : dataset.shards) {
    shard.file = 0;
    shard.data_offset = at;
    at += shard.nbytes;
  }
  return dataset;
}

TEST(Chains, ShardsThatTouchInOneFileAreOne) {
  EXPECT_THAT(chain_starts(touching({4, 1, 5})), ElementsAre(0, 3));
  EXPECT_THAT(chain_starts(dataset_of({10, 3}, {4, 1, 5}, dtype_of("<i4"))), ElementsAre(0, 1, 2, 3)) << "three files";
  EXPECT_THAT(chain_starts(touching({9})), ElementsAre(0, 1));
  EXPECT_THAT(chain_starts(Dataset()), ElementsAre(0));
}

TEST(Chains, AGapAnOverlapOrAnotherOrderEndsOne) {
  for (const std::int64_t shift : {-12, -1, 1, 4096}) {
    Dataset dataset = touching({4, 1, 5});
    dataset.shards[1].data_offset += shift;
    EXPECT_THAT(chain_starts(dataset), ElementsAre(0, 1, 2, 3)) << shift;
  }
  Dataset dataset = touching({4, 4, 4});
  std::swap(dataset.shards[0].data_offset, dataset.shards[1].data_offset);
  EXPECT_THAT(chain_starts(dataset), ElementsAre(0, 1, 2, 3));
}

TEST(Chains, AreOfOneTypeAndOneMemoryOrder) {
  Dataset dataset = touching({4, 1, 5});
  dataset.shards[2].dtype = dtype_of(">i4");
  EXPECT_THAT(chain_starts(dataset), ElementsAre(0, 2, 3));
  dataset = touching({4, 1, 5});
  for (Shard& shard : dataset.shards) shard.order = StorageOrder::f;
  EXPECT_THAT(chain_starts(dataset), ElementsAre(0, 1, 2, 3));
  dataset.shape = {30};  // along one axis the orders are the same
  EXPECT_THAT(chain_starts(dataset), ElementsAre(0, 3));
}

TEST(Chains, EmptyShardsStandWhereTheyLike_C059) {
  Dataset dataset = touching({0, 4, 0, 0, 1, 5, 0});
  for (const std::size_t empty : {0U, 2U, 3U, 6U}) {
    dataset.shards[empty].data_offset = 4096;
    dataset.shards[empty].file = empty == 3 ? 1 : 0;
  }
  EXPECT_THAT(chain_starts(dataset), ElementsAre(0, 1, 7)) << "the first shard of a chain is not empty";
  EXPECT_EQ(plan::shard_at(dataset, 1, 7), 1);
  EXPECT_EQ(plan::shard_at(dataset, 1, 7 + 4 * 12 - 1), 1);
  EXPECT_EQ(plan::shard_at(dataset, 1, 7 + 4 * 12), 4);
  EXPECT_EQ(plan::shard_at(dataset, 1, 7 + 5 * 12), 5);
  EXPECT_EQ(plan::shard_at(dataset, 1, 7 + 10 * 12 - 1), 5);
}

TEST(Chains, EveryByteBelongsToOneShard) {
  SCOPED_TRACE(seed_note());
  auto random = generator();
  for (int round = 0; round < 50; ++round) {
    const Dataset dataset = touching(random_rows(random, pick(random, 1, 40), pick(random, 1, 9)));
    const std::vector<std::int64_t> starts = chain_starts(dataset);
    const std::int64_t first = starts[starts.size() - 2];
    for (std::size_t at = 0; at < dataset.shards.size(); ++at) {
      const Shard& shard = dataset.shards[at];
      for (std::int64_t byte = 0; byte < shard.nbytes; ++byte) {
        ASSERT_EQ(plan::shard_at(dataset, first, shard.data_offset + byte), static_cast<std::int64_t>(at));
      }
    }
  }
}

TEST(Chains, AColumnMajorShardIsItsOwn) {
  Dataset dataset = dataset_of({6, 4}, {2, 4}, dtype_of("<i4"));
  dataset.shards[1].order = StorageOrder::f;
  EXPECT_EQ(plan::shard_at(dataset, 1, 128 + 63), 1);
}

}  // namespace
}  // namespace loadstone
