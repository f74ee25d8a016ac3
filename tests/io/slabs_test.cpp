// Staging memory that stays for the next load.
#include "io/slabs.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "io/staging.hpp"

namespace loadstone::io {
namespace {

constexpr std::int64_t kSlab = std::int64_t{1} << 20;

TEST(SlabShelf, WithoutAStoreNothingStays) {
  Ledger ledger(4 * kSlab);
  SlabShelf shelf(ledger, nullptr);
  shelf.give_back(*shelf.take(kSlab, "auto"));
  EXPECT_EQ(ledger.held_bytes(), 0);
  shelf.give_back(*shelf.take(kSlab, "auto"));
  EXPECT_EQ(shelf.fresh_bytes(), 2 * kSlab);
}

TEST(SlabShelf, IO27ASecondLoadTakesNoNewBytes) {
  const auto store = std::make_shared<SlabStore>();
  for (const std::int64_t fresh : {2 * kSlab, std::int64_t{0}}) {
    Ledger ledger(4 * kSlab);
    {
      SlabShelf shelf(ledger, store);
      StagingPool pool(shelf, kSlab, 2, "off");
      auto first = pool.try_lease();
      auto second = pool.try_lease();
      ASSERT_TRUE(first.ok() && first->valid() && second.ok() && second->valid());
      EXPECT_EQ(shelf.fresh_bytes(), fresh);
      EXPECT_EQ(ledger.held_bytes(), 2 * kSlab);
    }
    EXPECT_EQ(ledger.held_bytes(), 0);
    EXPECT_EQ(store->idle_bytes(), 2 * kSlab);
  }
}

TEST(SlabShelf, WhatStaysGivesWayToWhoeverReserves) {
  Ledger ledger(4 * kSlab);
  SlabShelf shelf(ledger, std::make_shared<SlabStore>());
  shelf.give_back(*shelf.take(3 * kSlab, "auto"));
  EXPECT_EQ(ledger.held_bytes(), 3 * kSlab);
  const auto reservation = ledger.try_reserve(2 * kSlab, Use::decode);
  EXPECT_TRUE(reservation.ok());
  EXPECT_EQ(ledger.held_bytes(), 2 * kSlab);
  EXPECT_FALSE(shelf.take(3 * kSlab, "auto").has_value());
}

TEST(SlabShelf, ALoadWithASmallerBudgetTakesOverWhatFits) {
  const auto store = std::make_shared<SlabStore>();
  store->put(Pages(3 * kSlab), 8 * kSlab);
  store->put(Pages(kSlab), 8 * kSlab);
  store->put(Pages(5 * kSlab), 8 * kSlab);  // too much beside the others
  EXPECT_EQ(store->idle_bytes(), 4 * kSlab);
  Ledger ledger(2 * kSlab);
  const SlabShelf shelf(ledger, store);
  EXPECT_EQ(ledger.held_bytes(), kSlab);
  EXPECT_EQ(store->idle_bytes(), 0);
}

}  // namespace
}  // namespace loadstone::io
