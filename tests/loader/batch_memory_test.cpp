#include "loader/batch_memory.hpp"

#include <gtest/gtest.h>

#include <stop_token>
#include <vector>

namespace loadstone::loader {
namespace {

constexpr std::int64_t kBytes = 10'000;

/// Takes memory and hands it over, as a stream does with a batch.
std::shared_ptr<TileMemory> take_over(BatchMemory& memory) {
  BatchMemory::Taken taken = memory.try_take(kBytes, 0, false);
  memory.hand_over(*taken.block);
  return std::move(taken.tile);
}

TEST(BatchMemory, NoMoreThanSoManyAreOnTheirWay) {
  BatchMemory memory(2, kBytes, "auto");
  const BatchMemory::Taken first = memory.try_take(kBytes, 0, false);
  BatchMemory::Taken second = memory.try_take(kBytes, 0, false);
  ASSERT_TRUE(first.tile && second.tile);
  EXPECT_FALSE(memory.try_take(kBytes, 0, false).tile);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(memory.wait_for_room(stopped.get_token()));
  memory.hand_over(*second.block);
  EXPECT_TRUE(memory.wait_for_room({}));
  EXPECT_TRUE(memory.try_take(kBytes, 0, false).tile);
}

TEST(BatchMemory, StartsWhereTheFileAgrees) {
  BatchMemory memory(2, kBytes, "auto");
  for (const std::int64_t skew : {0, 64, 4032}) {
    const BatchMemory::Taken taken = memory.try_take(kBytes, skew, false);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.tile->bytes().data()) % 4096, static_cast<std::uintptr_t>(skew));
    EXPECT_EQ(taken.tile->bytes().size(), static_cast<std::size_t>(kBytes));
  }
}

TEST(BatchMemory, WhatNobodyHoldsIsUsedAgain) {
  BatchMemory memory(2, kBytes, "auto");
  std::shared_ptr<TileMemory> held = take_over(memory);
  const std::byte* const place = held->bytes().data();
  EXPECT_NE(memory.try_take(kBytes, 0, false).tile->bytes().data(), place) << "it is held";
  held.reset();
  const BatchMemory::Taken one = memory.try_take(kBytes, 0, false);
  const BatchMemory::Taken two = memory.try_take(kBytes, 0, false);
  EXPECT_TRUE(one.tile->bytes().data() == place || two.tile->bytes().data() == place);
}

TEST(BatchMemory, WaitsForABatchThatIsAboutToBeDropped) {
  BatchMemory memory(2, kBytes, "auto");
  std::shared_ptr<TileMemory> last = take_over(memory);
  const std::shared_ptr<TileMemory> next = take_over(memory);
  const BatchMemory::Taken none = memory.try_take(kBytes, 0, true);
  EXPECT_FALSE(none.tile);
  EXPECT_TRUE(none.worth_waiting);
  EXPECT_TRUE(memory.try_take(kBytes, 0, false).tile) << "not for ever";
  last.reset();
  EXPECT_TRUE(memory.try_take(kBytes, 0, true).tile);
}

TEST(BatchMemory, HeldMemoryOutlivesIt) {
  std::shared_ptr<TileMemory> held;
  {
    BatchMemory memory(2, kBytes, "auto");
    held = take_over(memory);
  }
  for (std::byte& byte : held->bytes()) byte = std::byte{7};
}

}  // namespace
}  // namespace loadstone::loader
