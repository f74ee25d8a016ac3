#include "loader/batch_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <span>
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

constexpr std::int64_t kLarge = std::int64_t{1} << 20;

bool has_memory(std::span<const std::byte> bytes) {
  std::vector<unsigned char> pages(bytes.size() / 4096 + 2);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data()) / 4096 * 4096;
  const std::size_t length = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size() - address;
  EXPECT_EQ(::mincore(reinterpret_cast<void*>(address), length, pages.data()), 0);
  return std::ranges::any_of(pages, [](unsigned char page) { return (page & 1U) != 0; });
}

std::vector<BatchMemory::Taken> take(BatchMemory& memory, std::int64_t batches) {
  std::vector<BatchMemory::Taken> taken;
  for (std::int64_t i = 0; i < batches; ++i) {
    taken.push_back(memory.try_take(kLarge, 64, false));
    std::ranges::fill(taken.back().tile->bytes(), std::byte{1});
  }
  return taken;
}

TEST(BatchMemory, SmallBatchesLieBesideEachOther) {
  BatchMemory memory(7, kLarge, "auto");
  const std::vector<BatchMemory::Taken> taken = take(memory, 7);
  for (std::size_t i = 1; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i].tile->bytes().data() - taken[i - 1].tile->bytes().data(), kLarge + 4096) << i;
    EXPECT_EQ(taken[i].pages, taken[0].pages);
  }
}

TEST(BatchMemory, WhatIsTooMuchGoesBackThoughOthersUseThePages) {
  BatchMemory memory(2, kLarge, "auto");
  std::vector<std::shared_ptr<TileMemory>> held;
  for (int i = 0; i < 12; ++i) {
    BatchMemory::Taken taken = memory.try_take(kLarge, 0, false);
    std::ranges::fill(taken.tile->bytes(), std::byte{7});
    memory.hand_over(*taken.block);
    held.push_back(std::move(taken.tile));
  }
  std::vector<std::span<std::byte>> places;
  for (const auto& tile : held) places.push_back(tile->bytes());
  const std::shared_ptr<TileMemory> kept = held.back();
  held.clear();
  const auto full = std::ranges::count_if(
      places, [](std::span<std::byte> place) { return has_memory(place.subspan(4096, place.size() - 2 * 4096)); });
  EXPECT_EQ(full, 3) << "two for the stream, and the one that is kept";
  EXPECT_TRUE(std::ranges::all_of(kept->bytes(), [](std::byte byte) { return byte == std::byte{7}; }));
  const std::vector<BatchMemory::Taken> again = take(memory, 2);
  EXPECT_TRUE(again[0].tile && again[1].tile);
}

TEST(BatchMemory, AHeldBatchKeepsNoOthersMemoryOnceTheStreamIsGone) {
  std::shared_ptr<TileMemory> held;
  std::span<std::byte> neighbour;
  {
    BatchMemory memory(4, kLarge, "auto");
    std::vector<BatchMemory::Taken> taken = take(memory, 2);
    memory.hand_over(*taken[0].block);
    held = std::move(taken[0].tile);
    taken[0].block.reset();
    neighbour = taken[1].tile->bytes();
    EXPECT_TRUE(has_memory(neighbour.subspan(4096, kLarge / 2)));
  }
  EXPECT_FALSE(has_memory(neighbour.subspan(4096, kLarge / 2)));
  EXPECT_TRUE(std::ranges::all_of(held->bytes(), [](std::byte byte) { return byte == std::byte{1}; }));
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
