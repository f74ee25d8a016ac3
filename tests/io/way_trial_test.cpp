#include "io/way_trial.hpp"

#include <gtest/gtest.h>

#include <map>

namespace loadstone::io {
namespace {

constexpr std::int64_t kBytes = 1000;

/// Times transfers until the trial is settled; the first of each way takes `first` seconds.
void settle(WayTrial& trial, double buffered_s, double mapped_s, double first) {
  std::map<Way, int> transfers;
  for (int i = 0; i < 100 && !trial.settled(); ++i) {
    const Way way = trial.next();
    trial.add(way, kBytes, transfers[way]++ == 0 ? first : (way == Way::mapped ? mapped_s : buffered_s));
  }
  EXPECT_TRUE(trial.settled());
  EXPECT_EQ(transfers[Way::mapped], transfers[Way::buffered]) << "in turn";
}

WayTrial make(double advantage = 1, Judged judged = Judged::by_sum) {
  return {Way::buffered, Way::mapped, 4, advantage, judged};
}

TEST(WayTrial, StaysWithTheFasterWay) {
  for (const bool mapped_is_faster : {false, true}) {
    WayTrial trial = make();
    settle(trial, 2, mapped_is_faster ? 1 : 3, 2);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(trial.next(), mapped_is_faster ? Way::mapped : Way::buffered);
  }
}

TEST(WayTrial, TheFirstOfEachWayDoesNotCount) {
  WayTrial trial = make();
  settle(trial, 2, 1.9, 1000);
  EXPECT_EQ(trial.next(), Way::mapped);
}

TEST(WayTrial, TheOtherWayMustBeFasterByTheFactor) {
  for (const double mapped_s : {0.79, 0.81}) {
    WayTrial trial = make(1.25);
    settle(trial, 1, mapped_s, 1);
    EXPECT_EQ(trial.next(), mapped_s < 0.8 ? Way::mapped : Way::buffered);
  }
}

TEST(WayTrial, OfCopiesTheBestTimesAreCompared) {
  for (const Judged judged : {Judged::by_sum, Judged::by_best}) {
    WayTrial trial = make(1, judged);
    std::map<Way, int> transfers;
    while (!trial.settled()) {
      const Way way = trial.next();
      const bool held_up = way == Way::mapped && ++transfers[way] == 3;
      trial.add(way, kBytes, held_up ? 10 : (way == Way::mapped ? 1 : 2));
    }
    EXPECT_EQ(trial.next(), judged == Judged::by_best ? Way::mapped : Way::buffered);
  }
}

TEST(WayTrial, OfCopiesTheOtherWayIsTriedAgainEverMoreSeldom) {
  WayTrial trial = make(1, Judged::by_best);
  settle(trial, 1, 2, 2);  // of mapped copies all were held up
  std::map<Way, int> transfers;
  for (int i = 0; i < 1000; ++i) {
    const Way way = trial.next();
    ++transfers[way];
    trial.add(way, kBytes, way == Way::mapped ? 1.5 : 1);
  }
  EXPECT_EQ(transfers[Way::mapped], 8) << "at 4, 8, ... 512";
  for (int i = 0; i < 1024; ++i) trial.add(trial.next(), kBytes, 1);
  trial.add(Way::mapped, kBytes, 0.5);
  EXPECT_EQ(trial.next(), Way::mapped) << "it was the better one";
}

TEST(WayTrial, ComparesTimesPerByte) {
  WayTrial trial = make();
  while (!trial.settled()) {
    const Way way = trial.next();
    const bool mapped = way == Way::mapped;
    trial.add(way, mapped ? 10 * kBytes : kBytes, mapped ? 4 : 2);
  }
  EXPECT_EQ(trial.next(), Way::mapped) << "twice the time for ten times the bytes";
}

TEST(WayTrial, IsNotMovedByLateTimesOrThirdWays) {
  WayTrial trial = make();
  for (int i = 0; i < 10; ++i) trial.add(Way::direct, kBytes, 100);
  EXPECT_FALSE(trial.settled());
  settle(trial, 1, 2, 1);
  for (int i = 0; i < 10; ++i) trial.add(Way::buffered, kBytes, 100);
  EXPECT_EQ(trial.next(), Way::buffered);
}

}  // namespace
}  // namespace loadstone::io
