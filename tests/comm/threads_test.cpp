#include "comm/board.hpp"
#include "comm/groups.hpp"

#include <atomic>
#include <stdexcept>

namespace loadstone::test {
namespace {

std::string kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.failure().first().kind;
  }
  return "nothing thrown";
}

TEST(RunThreads, RethrowsTheLowestRanksOwnException) {
  EXPECT_THROW(run_threads(4,
                           [](const auto& comm) {
                             if (comm->rank() == 1) throw std::out_of_range("one");
                             if (comm->rank() == 3) throw std::runtime_error("three");
                           }),
               std::out_of_range);
}

TEST(RunThreads, ARankThatThrewHangsNobody) {
  std::atomic<int> told = 0;
  const auto body = [&](const std::shared_ptr<Communicator>& comm) {
    if (comm->rank() == 2) throw std::runtime_error("left");
    std::vector<std::byte> bytes(1);
    if (kind_of([&] { sum_of(*comm, 1); }) == comm::kRankLeft) ++told;
    if (kind_of([&] { finish(comm->irecv(bytes, 2, 0)); }) == comm::kRankLeft) ++told;
    if (kind_of([&] { finish(comm->isend(bytes, 2, 0)); }) == comm::kRankLeft) ++told;
    sum_of(*comm, 1);
  };
  EXPECT_THROW(run_threads(3, body), std::runtime_error) << "the cause, not rank 0's consequence";
  EXPECT_EQ(told, 6);
}

TEST(RunThreads, ARankThatReturnedEarlyHangsNobody) {
  EXPECT_EQ(kind_of([] {
              run_threads(2, [](const auto& comm) {
                if (comm->rank() == 0) comm->duplicate();
              });
            }),
            comm::kRankLeft);
}

TEST(RunThreads, DifferentCollectiveCallsAreAnErrorOnAllRanks) {
  std::atomic<int> told = 0;
  run_threads(3, [&](const auto& comm) {
    std::int64_t value = 0;
    const auto call = [&] {
      if (comm->rank() == 1) {
        finish(comm->ibroadcast(std::as_writable_bytes(std::span(&value, 1)), 0));
      } else {
        finish(comm->iallreduce({&value, 1}, Reduce::max));
      }
    };
    if (kind_of(call) == "comm.collective") ++told;
  });
  EXPECT_EQ(told, 3);
}

TEST(RunThreads, MessageAndReceiveOfDifferentLengthAreAnErrorOnBothSides) {
  run_threads(2, [&](const auto& comm) {
    std::vector<std::byte> bytes(comm->rank() == 0 ? 3 : 4);
    const auto call = [&] { finish(comm->rank() == 0 ? comm->isend(bytes, 1, 0) : comm->irecv(bytes, 0, 0)); };
    EXPECT_EQ(kind_of(call), "comm.length");
  });
}

TEST(RunThreads, AnAbandonedCollectiveFailsForAllAndTouchesNothing) {
  std::atomic<bool> abandoned = false;
  run_threads(2, [&](const auto& comm) {
    std::int64_t value = comm->rank();
    if (comm->rank() == 0) {
      EXPECT_TRUE(comm->iallreduce({&value, 1}, Reduce::max)->withdraw());
      abandoned = true;
      EXPECT_EQ(value, 0);
    } else {
      while (!abandoned) std::this_thread::yield();
      EXPECT_EQ(kind_of([&] { finish(comm->iallreduce({&value, 1}, Reduce::max)); }), "comm.collective");
    }
  });
}

TEST(RunThreads, RefusesNoRanks) {
  EXPECT_EQ(kind_of([] { run_threads(0, [](const auto&) {}); }), "comm.argument");
}

TEST(RunThreads, ACommunicatorMayOutliveItsThread) {
  std::shared_ptr<Communicator> kept;
  run_threads(3, [&](const auto& comm) {
    if (comm->rank() == 1) kept = comm;
  });
  EXPECT_EQ(kept->rank(), 1);
  EXPECT_EQ(kept->size(), 3);
}

}  // namespace
}  // namespace loadstone::test
