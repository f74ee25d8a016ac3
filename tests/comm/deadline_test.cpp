// Waits and deadlines with a clock that is moved by hand.
#include "comm/agree.hpp"
#include "comm/agreement_cases.hpp"

#include <atomic>

namespace loadstone::test {
namespace {

/// Never done; counts its polls.
class Never final : public CommRequest {
 public:
  bool test() override { return ++polls == 0; }
  bool withdraw() noexcept override { return true; }
  int polls = 0;
};

TEST(Wait, A8_EndsAtTheDeadlineOfTheClockItIsGiven) {
  Never request;
  double now = 0;
  const Interrupt interrupt{.stop = {}, .deadline_s = 10, .clock = [&] { return now++; }};
  const Status status = comm::wait(request, interrupt, "the end of time");
  EXPECT_EQ(status.code(), Code::deadline);
  EXPECT_EQ(request.polls, 11);
  EXPECT_NE(status.failure().first().message.find("the end of time"), std::string::npos);
}

TEST(Wait, EndsAtAStop) {
  Never request;
  const std::stop_source source;
  source.request_stop();
  const Interrupt interrupt{.stop = source.get_token(), .deadline_s = 10, .clock = [] { return 0.0; }};
  EXPECT_EQ(comm::wait(request, interrupt, "nothing").code(), Code::cancelled);
}

TEST(Wait, AThrowingRequestIsAStatus) {
  class Throwing final : public CommRequest {
   public:
    bool test() override { throw std::runtime_error("no wire"); }
    bool withdraw() noexcept override { return true; }
  } request;
  EXPECT_EQ(comm::wait(request, Interrupt{}, "nothing").code(), Code::comm);
}

/// A clock of all ranks, moved by the rank that is missing; counts how often each of the others looked at it.
struct SharedClock {
  std::atomic<double> now = 0;
  std::vector<std::atomic<int>> looks;
  explicit SharedClock(int ranks) : looks(static_cast<std::size_t>(ranks)) {}

  Clock of(int rank) {
    return [this, rank] {
      ++looks[static_cast<std::size_t>(rank)];
      return now.load();
    };
  }
  /// Moves on once every other rank has looked `times` more.
  void move_to(double seconds, int missing, int times) {
    std::vector<int> before;
    for (const auto& look : looks) before.push_back(look.load());
    for (std::size_t rank = 0; rank < looks.size(); ++rank) {
      if (static_cast<int>(rank) == missing) continue;
      while (looks[rank] < before[rank] + times) std::this_thread::yield();
    }
    now = seconds;
  }
};

TEST(Deadline, A9_T27_NamesTheRankThatDoesNotCome) {
  constexpr int kMissing = 1;
  SharedClock clock(3);
  std::atomic<int> told = 0;
  testing::internal::CaptureStderr();
  run_threads(3, [&](const auto& comm) {
    if (comm->rank() == kMissing) {
      clock.move_to(6, kMissing, 3);    // both are in their wait: the deadline passes
      clock.move_to(9, kMissing, 200);  // both have told the collectors: their two seconds pass
      while (told < 2) std::this_thread::yield();
      return;
    }
    const Interrupt interrupt{.stop = {}, .deadline_s = 5, .clock = clock.of(comm->rank())};
    std::atomic<int> called = 0;
    comm::Agreement agreement(comm, interrupt, [&](const Failure& failure) {
      EXPECT_EQ(failure.code(), Code::deadline);
      ++called;
    });
    const Status status = agreement.verdict("read", {}, 4);
    EXPECT_EQ(status.code(), Code::deadline);
    EXPECT_EQ(status.failure().phase, "read");
    EXPECT_EQ(status.failure().round, 4);
    EXPECT_NE(describe(status.failure()).find("no sign of life from rank 1"), std::string::npos);
    EXPECT_EQ(called, 1);
    EXPECT_EQ(agreement.verdict("publish", {}).code(), Code::comm);
    ++told;
  });
  const std::string report = testing::internal::GetCapturedStderr();
  for (const char* words : {"rank 0 of 3 on ", "rank 2 of 3 on ", "pid ", "5 s in phase read, round 4",
                            "rank 0: no sign of life from rank 1", "rank 2: no sign of life from rank 1"})
    EXPECT_NE(report.find(words), std::string::npos) << words << " in:\n" << report;
}

/// A launcher that sees one rank end ends the others, before a collector could tell what it waits for.
TEST(Deadline, A9_T27_ARankThatIsNoCollectorStaysUntilOneHasTold) {
  constexpr int kMissing = 2;
  constexpr int kNoCollector = 1;
  SharedClock clock(5);
  std::atomic<int> ended = 0;
  std::atomic<bool> stays = true;
  testing::internal::CaptureStderr();
  run_threads(5, [&](const auto& comm) {
    if (comm->rank() == kMissing) {
      clock.move_to(6, kMissing, 3);
      clock.move_to(7.5, kMissing, 200);
      EXPECT_EQ(ended, 0);
      clock.move_to(9, kMissing, 200);
      while (ended < 4) std::this_thread::yield();
      return;
    }
    const Interrupt interrupt{.stop = {}, .deadline_s = 5, .clock = clock.of(comm->rank())};
    comm::Agreement agreement(comm, interrupt);
    EXPECT_EQ(agreement.verdict("read", {}).code(), Code::deadline);
    if (comm->rank() == kNoCollector) stays = clock.now > 8;
    ++ended;
  });
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(stays);
  for (const char* words : {"rank 0: no sign of life from rank 2", "rank 4: no sign of life from rank 2"})
    EXPECT_NE(report.find(words), std::string::npos) << words << " in:\n" << report;
}

}  // namespace
}  // namespace loadstone::test
