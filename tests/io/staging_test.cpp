#include "io/staging.hpp"

#include "io/backend.hpp"
#include "support/backend_doubles.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
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
