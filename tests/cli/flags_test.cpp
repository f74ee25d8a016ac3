#include "cli/flags.hpp"

#include "cli/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace loadstone::cli {
namespace {

TEST(Flags, NoCommandHasAFlagTwice) {
  for (const CommandEntry& entry : command_table()) {
    std::vector<std::string> names = long_names(entry.set);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << entry.name;
  }
}

TEST(Flags, SetsOfCommandsAreDistinct) {
  CommandSet all = 0;
  for (const CommandEntry& entry : command_table()) {
    EXPECT_EQ(all & entry.set, 0U) << entry.name;
    EXPECT_EQ(set_of(entry.name), entry.set);
    all |= entry.set;
  }
  EXPECT_EQ(set_of("laod"), 0U);
}

TEST(Flags, LayoutAndSelectionFlagsAreThoseOfPlanAndLoad) {  // DS61
  for (const char* name : {"--split", "--tiles", "--rows-per-rank", "--overdecompose", "--select", "--casting"}) {
    EXPECT_EQ(takers_of(name), kPlan | kLoad) << name;
  }
}

TEST(Flags, ACommandTakesThoseThatItUses) {
  for (const char* name : {"--io-backend", "--io-direct", "--io-mapped", "--io-huge-pages", "--io-page-cache",
                           "--io-fs-class", "--io-depth", "--io-open-files", "--io-retries", "--deadline"}) {
    EXPECT_EQ(takers_of(name), kLoad | kVerify) << name << ": a plan reads no data";
  }
  EXPECT_EQ(takers_of("--io-request"), kPlan | kLoad | kVerify);
  EXPECT_EQ(takers_of("--io-landing"), kPlan | kLoad) << "verify has no tile to land in";
  EXPECT_EQ(takers_of("--identity"), kLoad);
}

}  // namespace
}  // namespace loadstone::cli
