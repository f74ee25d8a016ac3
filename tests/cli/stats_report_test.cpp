#include "cli/stats_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <loadstone/error.hpp>

#include <atomic>
#include <thread>

namespace loadstone::cli {
namespace {

using testing::HasSubstr;

LoadStats stats_of(int rank) {
  LoadStats stats;
  stats.bytes_wanted = std::int64_t{1000} * (rank + 1);
  stats.bytes_read = std::int64_t{1000} * (rank + 1);
  stats.budget_bytes = std::int64_t{4} << 20;
  stats.peak_bytes = std::int64_t{10} * rank;
  stats.seconds = 0.5 * (rank + 1);
  stats.seconds_by_step = {{"read", 0.25 * (rank + 1)}, {"plan", 0.125}};
  if (rank == 1) stats.seconds_by_step["zeta"] = 1;
  FileStats mine;
  mine.path = "d/" + std::to_string(rank) + ".npy";
  mine.bytes_read = mine.bytes_direct = 100;
  mine.slowest_seconds = 0.25;
  FileStats shared = mine;
  shared.path = "d/all.npy";
  shared.slowest_seconds = 0.5 * (rank + 1);
  shared.fallbacks = {"because"};
  stats.files = {mine, shared};
  return stats;
}

StatsOverRanks gathered(int ranks) {
  StatsOverRanks result;
  run_threads(ranks, [&](const std::shared_ptr<Communicator>& comm) {
    const StatsOverRanks mine = gather_stats(stats_of(comm->rank()), comm);
    if (comm->rank() == comm->size() - 1) result = mine;
  });
  return result;
}

TEST(StatsReport, SpreadIsLeastMiddleMost) {
  EXPECT_EQ(spread_of({}), (Spread{0, 0, 0}));
  EXPECT_EQ(spread_of({7}), (Spread{7, 7, 7}));
  EXPECT_EQ(spread_of({9, 1, 4}), (Spread{1, 4, 9}));
  EXPECT_EQ(spread_of({9, 1, 4, 6}), (Spread{1, 5, 9}));
}

TEST(StatsReport, GathersFromEveryRank) {
  const StatsOverRanks stats = gathered(3);
  EXPECT_EQ(stats.ranks, 3);
  EXPECT_EQ(stats.total.bytes_wanted, 6000);
  EXPECT_EQ(stats.bytes_read, (Spread{1000, 2000, 3000}));
  EXPECT_EQ(stats.peak_bytes, (Spread{0, 10, 20}));
  EXPECT_EQ(stats.seconds, (Spread{0.5, 1, 1.5}));
  EXPECT_EQ(stats.bytes_per_second, (Spread{2000, 2000, 2000}));
}

TEST(StatsReport, T27_MissesARankByTheDeadlineAndNamesIt) {
  std::atomic<bool> met = false;
  run_threads(2, [&](const std::shared_ptr<Communicator>& comm) {
    if (comm->rank() == 1) {
      while (!met) std::this_thread::yield();
      return;
    }
    double now = 0;
    const Interrupt interrupt{.stop = {}, .deadline_s = 10, .clock = [&] { return now++; }};
    try {
      gather_stats(stats_of(0), comm, interrupt);
      ADD_FAILURE() << "rank 1 was not missed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::deadline);
      EXPECT_THAT(error.what(), HasSubstr("no sign of life from rank 1"));
    }
    met = true;
  });
}

TEST(StatsReport, StepsComeInTheOrderOfTheWalk) {
  const StatsOverRanks stats = gathered(2);
  std::vector<std::string> steps;
  for (const auto& [step, spread] : stats.seconds_by_step) steps.push_back(step);
  EXPECT_THAT(steps, testing::ElementsAre("plan", "read", "zeta"));
  EXPECT_EQ(stats.seconds_by_step[1].second, (Spread{0.25, 0.375, 0.5}));
  EXPECT_EQ(stats.seconds_by_step[2].second, (Spread{0, 0.5, 1}));
}

TEST(StatsReport, JsonHasTotalsAndSpreads) {
  const std::string json = stats_json(gathered(2));
  EXPECT_THAT(json, HasSubstr("\"bytes_wanted\":3000"));
  EXPECT_THAT(json, HasSubstr("\"budget_bytes\":4194304"));
  EXPECT_THAT(json, HasSubstr("\"over_ranks\":{\"bytes_read\":{\"min\":1000,\"median\":1500,\"max\":2000}"));
}

TEST(StatsReport, FilesAreThoseOfAllRanksTheSlowestFirst_IO40) {
  const StatsOverRanks stats = gathered(3);
  ASSERT_EQ(stats.total.files.size(), 4U);
  const FileStats& shared = stats.total.files.back();
  EXPECT_EQ(shared.path, "d/all.npy");
  EXPECT_EQ(shared.bytes_direct, 300);
  EXPECT_EQ(shared.slowest_seconds, 1.5);
  EXPECT_THAT(shared.fallbacks, testing::ElementsAre("because"));
  EXPECT_THAT(stats_text(stats, false),
              HasSubstr("4 of 4, those with the slowest requests\n    d/all.npy: direct 300 B"));
  EXPECT_THAT(stats_json(stats), HasSubstr("\"path\":\"d/all.npy\",\"bytes_read\":300"));
  StatsOverRanks none;
  EXPECT_THAT(stats_json(none), testing::Not(HasSubstr("files")));
}

TEST(StatsReport, TextShowsThePeakBesideTheBudget) {
  EXPECT_THAT(stats_text(gathered(2), false), HasSubstr("of 4.0 MiB"));
  EXPECT_THAT(stats_text(gathered(2), true), HasSubstr("peak by use"));
}

}  // namespace
}  // namespace loadstone::cli
