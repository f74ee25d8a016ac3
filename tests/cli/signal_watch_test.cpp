#include "cli/signal_watch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <stop_token>

namespace loadstone::cli {
namespace {

/// Waits until the watch has asked for a stop; false if it does not within 10 s.
bool stops(const SignalWatch& watch) {
  std::promise<void> promise;
  const std::stop_callback told(watch.token(), [&promise] { promise.set_value(); });
  return promise.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
}

TEST(SignalWatch, T30ASignalIsAStopRequest) {
  for (const int number : {SIGINT, SIGTERM}) {
    const SignalWatch watch;
    EXPECT_EQ(watch.signal(), 0);
    EXPECT_FALSE(watch.token().stop_requested());
    ASSERT_EQ(::kill(::getpid(), number), 0);
    EXPECT_TRUE(stops(watch));
    EXPECT_EQ(watch.signal(), number);
  }
}

TEST(SignalWatch, TheFirstSignalCounts) {
  const SignalWatch watch;
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  ASSERT_TRUE(stops(watch));
  ASSERT_EQ(::kill(::getpid(), SIGINT), 0);  // within a second: not yet the end of the process
  EXPECT_EQ(watch.signal(), SIGTERM);
}

TEST(SignalWatch, LeavesTheMaskAsItWas) {
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    const SignalWatch watch;
  }
  sigset_t after;
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (const int number : {SIGINT, SIGTERM}) EXPECT_EQ(sigismember(&before, number), sigismember(&after, number));
}

}  // namespace
}  // namespace loadstone::cli
