#include "io/copy_trial.hpp"

#include <gtest/gtest.h>

#include <map>

namespace loadstone::io {
namespace {

constexpr std::int64_t kBytes = 1000;

/// Times copies, each way by its own clock, until the trial is settled; the first of each takes `first` seconds.
void settle(CopyTrial& trial, double read_s, double mapped_s, double first) {
  std::map<Way, int> copies;
  for (int i = 0; i < 100 && !trial.settled(); ++i) {
    const Way way = trial.next();
    const double seconds = way == Way::mapped ? mapped_s : read_s;
    trial.add(way, kBytes, copies[way]++ == 0 ? first : seconds);
  }
  EXPECT_TRUE(trial.settled());
  EXPECT_EQ(copies[Way::mapped], copies[Way::buffered]) << "in turn";
}

TEST(CopyTrial, StaysWithTheFasterWay) {
  for (const bool mapped_is_faster : {false, true}) {
    CopyTrial trial;
    settle(trial, 2, mapped_is_faster ? 1 : 3, 2);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(trial.next(), mapped_is_faster ? Way::mapped : Way::buffered);
  }
}

TEST(CopyTrial, TheFirstOfEachWayDoesNotCount) {
  CopyTrial trial;
  settle(trial, 2, 1.9, 1000);
  EXPECT_EQ(trial.next(), Way::mapped);
}

TEST(CopyTrial, ComparesTimesPerByte) {
  CopyTrial trial;
  while (!trial.settled()) {
    const Way way = trial.next();
    const bool mapped = way == Way::mapped;
    trial.add(way, mapped ? 10 * kBytes : kBytes, mapped ? 4 : 2);
  }
  EXPECT_EQ(trial.next(), Way::mapped) << "twice the time for ten times the bytes";
}

TEST(CopyTrial, IsNotMovedByLateTimes) {
  CopyTrial trial;
  settle(trial, 1, 2, 1);
  for (int i = 0; i < 10; ++i) trial.add(Way::buffered, kBytes, 100);
  EXPECT_EQ(trial.next(), Way::buffered);
}

}  // namespace
}  // namespace loadstone::io
