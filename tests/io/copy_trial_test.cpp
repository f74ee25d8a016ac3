#include "io/copy_trial.hpp"

#include <gtest/gtest.h>

namespace loadstone::io {
namespace {

constexpr std::int64_t kBytes = 1000;

/// Runs a batch of two whose copies end `seconds` after its start.
void run_batch(CopyTrial& trial, Way way, double start, double seconds) {
  EXPECT_EQ(trial.next(start), way);
  EXPECT_EQ(trial.next(start + seconds / 2), way);
  EXPECT_FALSE(trial.next(start + seconds / 2)) << "batches are timed apart";
  trial.done(kBytes, start + seconds / 2);
  EXPECT_FALSE(trial.settled() && way == Way::buffered);
  trial.done(kBytes, start + seconds);
}

TEST(CopyTrial, StaysWithTheFasterWay) {
  for (const bool mapped_is_faster : {false, true}) {
    CopyTrial trial(2);
    run_batch(trial, Way::buffered, 10, 2);
    EXPECT_FALSE(trial.settled());
    run_batch(trial, Way::mapped, 20, mapped_is_faster ? 1 : 3);
    ASSERT_TRUE(trial.settled());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(trial.next(30 + i), mapped_is_faster ? Way::mapped : Way::buffered);
  }
}

TEST(CopyTrial, ComparesTimesPerByte) {
  CopyTrial trial(1);
  EXPECT_EQ(trial.next(0), Way::buffered);
  trial.done(kBytes, 2);
  EXPECT_EQ(trial.next(5), Way::mapped);
  trial.done(10 * kBytes, 5 + 4);
  EXPECT_EQ(trial.next(9), Way::mapped) << "twice the time for ten times the bytes";
}

TEST(CopyTrial, CopiesOfNothingSettleItToo) {
  CopyTrial trial(1);
  (void)trial.next(0);
  trial.done(0, 0);
  (void)trial.next(0);
  trial.done(0, 0);
  EXPECT_TRUE(trial.settled());
  EXPECT_TRUE(trial.next(1));
}

}  // namespace
}  // namespace loadstone::io
