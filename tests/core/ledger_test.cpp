#include "core/ledger.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
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
    const Reservation moved = std::move(*a);
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
  const std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(ledger.reserve(1, Use::staging, {.stop = stop.get_token()}).status().code(), Code::cancelled);
}

TEST(Ledger, AWaiterGetsWhatIsPutAsideWhileItWaits) {
  Ledger ledger(100);
  std::optional<Reservation> idle;
  ledger.set_reclaim([&] { idle.reset(); });
  auto held = ledger.try_reserve(100, Use::staging);
  ASSERT_TRUE(held.ok());
  int looks = 0;
  // Whoever waits looks at the clock each time that nothing is free: at the third time the memory has become idle.
  const Interrupt interrupt{.deadline_s = 10, .clock = [&] {
                              if (++looks == 3) idle = std::move(*held);
                              return static_cast<double>(looks);
                            }};
  EXPECT_TRUE(ledger.reserve(60, Use::decode, interrupt).ok());
  EXPECT_EQ(ledger.peak_bytes(Use::decode), 60);
}

TEST(Ledger, ADeadlineOnAFakeClockEndsTheWait) {
  Ledger ledger(100);
  const auto held = ledger.try_reserve(100, Use::staging);
  double now = 0;
  const Interrupt interrupt{.deadline_s = 10, .clock = [&now] { return now += 6; }};
  EXPECT_EQ(ledger.reserve(1, Use::staging, interrupt).status().code(), Code::deadline);
}

/// One thread of the random steps: it tries for more while it holds some, and waits only while it holds nothing.
class RandomUser {
 public:
  RandomUser(Ledger& ledger, std::atomic<std::int64_t>& held, std::uint64_t seed)
      : ledger_(ledger), held_(held), random_(seed) {}

  /// False if the limit was passed, or something else failed than it should.
  bool step() {
    const auto use = static_cast<Use>(test::pick(random_, 0, kUses - 1));
    const std::int64_t bytes = test::pick(random_, 1, 400);
    switch (test::pick(random_, 0, 31)) {
      case 0:
        return wait(bytes, use);
      case 1:
        return is_stopped(bytes, use);
      case 2:
        return ledger_.reserve(ledger_.limit_bytes() + bytes, use, {}).status().code() == Code::budget;
      default:
        return test::pick(random_, 0, 2) == 0 ? give_back() : try_for(bytes, use);
    }
  }
  bool give_back() {
    if (mine_.empty()) return true;
    held_ -= mine_.back().bytes();
    mine_.pop_back();
    return true;
  }
  void give_all_back() {
    while (!mine_.empty()) give_back();
  }

 private:
  bool keep(Reservation reservation, std::int64_t bytes) {
    mine_.push_back(std::move(reservation));
    return (held_ += bytes) <= ledger_.limit_bytes() && mine_.back().bytes() == bytes;
  }
  bool try_for(std::int64_t bytes, Use use) {
    auto reservation = ledger_.try_reserve(bytes, use);
    if (!reservation.ok()) return reservation.status().code() == Code::budget;
    return keep(std::move(*reservation), bytes);
  }
  bool wait(std::int64_t bytes, Use use) {
    give_all_back();
    auto reservation = ledger_.reserve(bytes, use, {});
    return reservation.ok() && keep(std::move(*reservation), bytes);
  }
  bool is_stopped(std::int64_t bytes, Use use) {
    const std::stop_source stop;
    stop.request_stop();
    auto reservation = ledger_.reserve(bytes, use, {.stop = stop.get_token()});
    if (!reservation.ok()) return reservation.status().code() == Code::cancelled;
    return keep(std::move(*reservation), bytes);
  }

  Ledger& ledger_;
  std::atomic<std::int64_t>& held_;
  std::mt19937_64 random_;
  std::vector<Reservation> mine_;
};

TEST(Ledger, IO43AMillionRandomStepsOfFourThreadsNeverPassTheLimit) {
  SCOPED_TRACE(test::seed_note());
  constexpr std::int64_t kLimit = 2000;
  Ledger ledger(kLimit);
  std::atomic<std::int64_t> held{0};
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        RandomUser user(ledger, held, test::seed() + t);
        for (int step = 0; step < 250'000; ++step) wrong += user.step() ? 0 : 1;
        user.give_all_back();
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ledger.held_bytes(), 0);
  EXPECT_LE(ledger.peak_bytes(), kLimit);
  for (int use = 0; use < kUses; ++use) {
    EXPECT_GT(ledger.peak_bytes(static_cast<Use>(use)), 0);
    EXPECT_LE(ledger.peak_bytes(static_cast<Use>(use)), kLimit);
  }
}

}  // namespace
}  // namespace loadstone
