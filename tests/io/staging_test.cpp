#include "io/staging.hpp"

#include "io/backend.hpp"
#include "io/huge_pages.hpp"
#include "support/backend_doubles.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace loadstone::io {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

TEST(StagingPool, ChargesWhatItHolds_IO27) {
  Ledger ledger(64 * kMiB);
  {
    SlabShelf shelf(ledger, nullptr);
    StagingPool pool(shelf, 300 * kKiB + 1, 5);
    EXPECT_EQ(pool.block_bytes(), 304 * kKiB);
    EXPECT_EQ(ledger.held_bytes(), 0);
    std::vector<StagingLease> leases;
    for (int i = 0; i < 5; ++i) {
      leases.push_back(pool.try_lease().value());
      ASSERT_TRUE(leases.back().valid());
      std::memset(leases.back().bytes().data(), i, leases.back().bytes().size());
    }
    EXPECT_FALSE(pool.try_lease()->valid()) << "no more than max_blocks";
    EXPECT_EQ(ledger.held_bytes(), 5 * 304 * kKiB);
    for (std::size_t i = 0; i < leases.size(); ++i) EXPECT_EQ(leases[i].bytes()[999], static_cast<std::byte>(i));
    leases.clear();
    EXPECT_EQ(ledger.held_bytes(), 5 * 304 * kKiB) << "idle blocks stay charged";
    pool.trim();
    EXPECT_EQ(ledger.held_bytes(), 0);
    EXPECT_EQ(pool.blocks_made(), 0);
    EXPECT_TRUE(pool.try_lease()->valid()) << "and can be made again";
  }
  EXPECT_EQ(ledger.held_bytes(), 0);
}

TEST(StagingPool, LastInFirstOut) {
  Ledger ledger(64 * kMiB);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, kMiB, 4);
  StagingLease a = pool.try_lease().value();
  StagingLease b = pool.try_lease().value();
  const std::byte* const warm = b.bytes().data();
  a.release();
  b.release();
  EXPECT_EQ(pool.try_lease()->bytes().data(), warm);
}

TEST(StagingPool, TestBuildsPoisonBlocksThatComeBack_IO27) {
  if (!kPoisonsBlocks) GTEST_SKIP() << "not in this build";
  Ledger ledger(64 * kMiB);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, kMiB, 1);
  {
    const StagingLease lease = pool.try_lease().value();
    std::memset(lease.bytes().data(), 7, lease.bytes().size());
  }
  const StagingLease again = pool.try_lease().value();
  EXPECT_TRUE(std::ranges::all_of(again.bytes(), [](std::byte each) { return each == kBlockPoison; }));
}

TEST(StagingPool, MakesDoWithFewerBlocks) {
  Ledger ledger(2 * kMiB + 100);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, kMiB, 8);
  std::vector<StagingLease> leases;
  for (StagingLease lease = pool.try_lease().value(); lease.valid(); lease = pool.try_lease().value()) {
    leases.push_back(std::move(lease));
  }
  EXPECT_EQ(leases.size(), 2U);
  EXPECT_LE(ledger.peak_bytes(), ledger.limit_bytes());
}

TEST(StagingPool, ALargeSlabStartsOnA2MiBBoundary_IO26) {
  Ledger ledger(64 * kMiB);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, kMiB, 16);
  std::vector<StagingLease> leases;
  for (int i = 0; i < 4; ++i) leases.push_back(pool.try_lease().value());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(leases[0].bytes().data()) % (2 * kMiB), 0U);
}

/// The blocks of a load: a request and its edges, which do not divide 2 MiB.
constexpr std::int64_t kBlock = kMiB + 8 * kKiB;

std::vector<StagingLease> all_of(StagingPool& pool) {
  std::vector<StagingLease> leases;
  for (StagingLease lease = pool.try_lease().value(); lease.valid(); lease = pool.try_lease().value()) {
    leases.push_back(std::move(lease));
  }
  return leases;
}

TEST(StagingPool, SlabsAreWhole2MiBPagesWhereTheBudgetHasRoom_IO26_IO27) {
  Ledger ledger(512 * kMiB);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, kBlock, 32);
  const StagingLease first = pool.try_lease().value();
  EXPECT_EQ(ledger.held_bytes(), 8 * kMiB) << "seven blocks";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.bytes().data()) % (2 * kMiB), 0U);
  EXPECT_EQ(all_of(pool).size(), 31U);
  EXPECT_EQ(ledger.held_bytes(), 4 * 8 * kMiB + 6 * kMiB) << "4 times 7 blocks, and 4";
}

TEST(StagingPool, ABudgetThatIsPlannedToTheLastBlockGivesThemAll_IO29) {
  for (const std::int64_t blocks : {1, 2, 3, 4, 5, 15, 32}) {
    Ledger ledger(blocks * kBlock);
    SlabShelf shelf(ledger, nullptr);
    StagingPool pool(shelf, kBlock, blocks);
    EXPECT_EQ(static_cast<std::int64_t>(all_of(pool).size()), blocks);
    EXPECT_EQ(ledger.peak_bytes(), blocks * kBlock);
  }
}

/// Bytes of some memory that the kernel has put on 2 MiB pages; empty where it is not asked to.
std::optional<std::int64_t> touched_on_huge_pages(std::span<std::byte> memory) {
  const std::string setting = test::read_file("/sys/kernel/mm/transparent_hugepage/enabled");
  if (setting.find("[always]") == std::string::npos && setting.find("[madvise]") == std::string::npos) return {};
  std::memset(memory.data(), 1, memory.size());
  return bytes_on_huge_pages(memory);
}

TEST(StagingPool, BlocksLieOn2MiBPages_IO26) {
  Ledger ledger(512 * kMiB);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, kBlock, 4);
  const std::vector<StagingLease> leases = all_of(pool);
  std::int64_t bytes = 0;
  for (const StagingLease& lease : leases) {
    const auto on_huge_pages = touched_on_huge_pages(lease.bytes());
    if (!on_huge_pages) GTEST_SKIP() << "no transparent 2 MiB pages here";
    bytes += *on_huge_pages;
  }
  // Fragmented memory may have none left: then the kernel takes 4 KiB pages without a word.
  if (bytes == 0) GTEST_SKIP() << "the system has no free 2 MiB pages";
  EXPECT_GE(bytes, 2 * kMiB);
}

TEST(StagingPool, SaysWhyThereIsNoBlock) {
  Ledger ledger(std::int64_t{1} << 60);
  SlabShelf shelf(ledger, nullptr);
  EXPECT_TRUE(StagingPool(shelf, kMiB, 1).require_block().ok());
  EXPECT_EQ(StagingPool(shelf, std::int64_t{1} << 50, 1).require_block().code(), Code::out_of_memory)
      << "more than there are addresses";
  const Status refused = StagingPool(shelf, std::int64_t{1} << 61, 1).require_block();
  ASSERT_EQ(refused.code(), Code::budget);
  EXPECT_EQ(std::get<std::int64_t>(refused.failure().first().wanted), std::int64_t{1} << 61);
  EXPECT_EQ(ledger.held_bytes(), 0);
}

TEST(StagingPool, ALeaseMovesAndReturnsItselfOnce) {
  Ledger ledger(64 * kMiB);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, kMiB, 1);
  StagingLease a = pool.try_lease().value();
  StagingLease b = std::move(a);
  EXPECT_FALSE(a.valid());
  EXPECT_FALSE(pool.try_lease()->valid());
  a = std::move(b);
  a.release();
  a.release();
  EXPECT_TRUE(pool.try_lease()->valid());
}

TEST(StagingPool, ASlabThatIsUsedAgainIsRegisteredUntilItGoesBack_IO1) {
  Ledger ledger(64 * kMiB);
  test::CountingBackend::Counts counts;
  test::CountingBackend backend(make_backend("posix", 1, nullptr).value(), counts);
  const auto store = std::make_shared<SlabStore>();
  SlabShelf shelf(ledger, store);
  shelf.serve(&backend);
  for (int turn = 1; turn <= 2; ++turn) {
    StagingPool pool(shelf, kMiB, 4);
    std::vector<StagingLease> leases;
    for (int i = 0; i < 4; ++i) leases.push_back(pool.try_lease().value());
    EXPECT_EQ(counts.registered, turn - 1) << "each block is used once so far";
    leases.clear();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(pool.try_lease()->valid());
    EXPECT_EQ(counts.registered, turn);
    EXPECT_EQ(counts.memory.size(), 1U);
    pool.trim();
    EXPECT_TRUE(counts.memory.empty());
  }
  shelf.serve(nullptr);
  shelf.register_slab(*shelf.take(4 * kMiB, "auto"));
  EXPECT_EQ(counts.registered, 2);
}

TEST(StagingPool, IsThreadSafe) {
  Ledger ledger(64 * kMiB);
  SlabShelf shelf(ledger, nullptr);
  StagingPool pool(shelf, 64 * kKiB, 4);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&pool, t] {
        for (int i = 0; i < 2000; ++i) {
          Result<StagingLease> lease = pool.try_lease();
          if (lease->valid()) lease->bytes()[0] = static_cast<std::byte>(t);
          if (i % 500 == 0) pool.trim();
        }
      });
    }
  }
  pool.trim();
  EXPECT_EQ(ledger.held_bytes(), 0);
}

}  // namespace
}  // namespace loadstone::io
