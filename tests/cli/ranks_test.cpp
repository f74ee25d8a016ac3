#include "cli/ranks.hpp"

#include "cli/exit_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace loadstone::cli {
namespace {

TEST(Ranks, AgreeOnTheWorstExitCode) {
  run_threads(3, [](const std::shared_ptr<Communicator>& comm) {
    const Result<int> agreed = agreed_exit_code({}, comm, comm->rank() == 1 ? kFaulty : kDone);
    ASSERT_TRUE(agreed.ok());
    EXPECT_EQ(*agreed, kFaulty);
  });
}

TEST(Ranks, T27_MissOneByTheDeadlineThatIsGivenAndNameIt) {
  std::atomic<bool> met = false;
  Arguments arguments;
  arguments.deadline = "1";
  run_threads(2, [&](const std::shared_ptr<Communicator>& comm) {
    if (comm->rank() == 1) {
      while (!met) std::this_thread::yield();
      return;
    }
    const Result<int> agreed = agreed_exit_code(arguments, comm, kDone);
    met = true;
    ASSERT_FALSE(agreed.ok());
    EXPECT_EQ(agreed.status().code(), Code::deadline);
    EXPECT_THAT(agreed.status().failure().first().message, testing::HasSubstr("no sign of life from rank 1"));
  });
}

}  // namespace
}  // namespace loadstone::cli
