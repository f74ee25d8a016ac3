#include "core/ledger.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/seed.hpp"

namespace loadstone {
namespace {

TEST(Ledger, IO28ReservationsGiveThemselvesBack) {
  Ledger ledger(100);
  {
    auto a = ledger.try_reserve(60, Use::staging);
    ASSERT_TRUE(a.ok());
    EXPECT_FALSE(ledger.try_reserve(41, Use::decode).ok());
    Reservation moved = std::move(*a);
    EXPECT_EQ(ledger.held_bytes(), 60);
  }
  EXPECT_EQ(ledger.held_bytes(), 0);
  EXPECT_EQ(ledger.peak_bytes(), 60);
  EXPECT_EQ(ledger.peak_bytes(Use::staging), 60);
  EXPECT_EQ(ledger.peak_bytes(Use::decode), 0);
}

TEST(Ledger, IO28MoreThanTheLimitFailsAtOnce) {
  Ledger ledger(100);
  const auto refused = ledger.reserve(101, Use::staging, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::budget);
  EXPECT_EQ(std::get<std::int64_t>(refused.status().failure().first().wanted), 101);
}

TEST(Ledger, AStoppedWaiterLeaves) {
  Ledger ledger(100);
  const auto held = ledger.try_reserve(100, Use::staging);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(ledger.reserve(1, Use::staging, {.stop = stop.get_token()}).status().code(), Code::cancelled);
}

TEST(Ledger, ADeadlineOnAFakeClockEndsTheWait) {
  Ledger ledger(100);
  const auto held = ledger.try_reserve(100, Use::staging);
  double now = 0;
  const Interrupt interrupt{.deadline_s = 10, .clock = [&now] { return now += 6; }};
  EXPECT_EQ(ledger.reserve(1, Use::staging, interrupt).status().code(), Code::deadline);
}

TEST(Ledger, IO43RandomStepsOfFourThreadsNeverPassTheLimit) {
  SCOPED_TRACE(test::seed_note());
  constexpr std::int64_t kLimit = 1000;
  Ledger ledger(kLimit);
  std::atomic<std::int64_t> held{0};
  std::atomic<bool> passed{false};
  const auto work = [&](std::uint64_t number) {
    std::mt19937_64 random(test::seed() + number);
    for (int step = 0; step < 20'000; ++step) {
      const std::int64_t bytes = test::pick(random, 1, 400);
      auto reservation = ledger.reserve(bytes, Use::staging, {});
      if (!reservation.ok() || held.fetch_add(bytes) + bytes > kLimit) passed = true;
      held.fetch_sub(bytes);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) threads.emplace_back(work, t);
  }
  EXPECT_FALSE(passed);
  EXPECT_EQ(ledger.held_bytes(), 0);
  EXPECT_LE(ledger.peak_bytes(), kLimit);
}

}  // namespace
}  // namespace loadstone
