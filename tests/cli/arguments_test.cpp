#include "cli/arguments.hpp"

#include "cli/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadstone::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

Arguments parsed(const Words& words) {
  const Parsed result = parse(words);
  EXPECT_FALSE(result.failure) << result.failure->first().message;
  EXPECT_FALSE(result.print);
  return result.arguments;
}

Fault refused(const Words& words) {
  const Parsed result = parse(words);
  EXPECT_FALSE(result.print);
  if (!result.failure) {
    ADD_FAILURE() << "was not refused";
    return {};
  }
  EXPECT_EQ(result.failure->code(), Code::bad_argument);
  EXPECT_EQ(result.arguments.command, words.front());
  return result.failure->first();
}

TEST(Arguments, TakeFlagsBeforeAndAfterPaths) {
  const Arguments a = parsed({"load", "--ranks", "3", "a.npy", "--json", "b.npy", "--split=1", "-q"});
  EXPECT_THAT(a.paths, ElementsAre("a.npy", "b.npy"));
  EXPECT_EQ(a.ranks, "3");
  EXPECT_EQ(a.split, "1");
  EXPECT_TRUE(a.json);
  EXPECT_TRUE(a.quiet);
  EXPECT_FALSE(a.strict);
}

TEST(Arguments, TakeValuesThatLookLikeFlags) {
  EXPECT_EQ(parsed({"load", "x", "--select=-5:"}).select, "-5:");
  EXPECT_EQ(parsed({"load", "x", "--select", "-5:"}).select, "-5:");
  EXPECT_EQ(parsed({"load", "x", "--split", "-1"}).split, "-1");
  EXPECT_EQ(parsed({"load", "x", "--rows-per-rank=11,0,-1"}).rows_per_rank, "11,0,-1");
  EXPECT_EQ(parsed({"load", "x", "--select=:,0,:"}).select, ":,0,:");
  EXPECT_EQ(parsed({"load", "x", "--ranks", "-1"}).ranks, "-1");
}

TEST(Arguments, TakeEveryPathAsItIs) {
  EXPECT_THAT(parsed({"inspect", "load", "plan", "[ab]", "@-", "a:b", "x y", ":"}).paths,
              ElementsAre("load", "plan", "[ab]", "@-", "a:b", "x y", ":"));
  EXPECT_THAT(parsed({"inspect", "--list", "--", "-odd.npy"}).paths, ElementsAre("-odd.npy"));
}

TEST(Arguments, RepeatedFlagsCollectOneValueEach) {
  const Arguments a =
      parsed({"inspect", "--roots", "/a", "x", "--roots=/b:/c", "--ignore", "*.tmp", "--ignore", "[ab]", "y"});
  EXPECT_THAT(a.roots, ElementsAre("/a", "/b:/c"));
  EXPECT_THAT(a.ignore, ElementsAre("*.tmp", "[ab]"));
  EXPECT_THAT(a.paths, ElementsAre("x", "y"));
}

TEST(Arguments, CommonFlagsAreEverywhere) {
  for (const CommandEntry& entry : command_table()) {
    Words words{entry.name,  "--json", "--strict", "-q",  "-v",      "--budget", "1MiB",
                "--threads", "2",      "--format", "npy", "--roots", "/r"};
    if (*entry.paths != '\0') words.emplace_back("x");
    const Arguments a = parsed(words);
    EXPECT_TRUE(a.json && a.strict && a.quiet && a.verbose) << entry.name;
    EXPECT_EQ(a.budget, "1MiB");
  }
}

TEST(Arguments, RefuseUnknownWordsWithTheNearest) {
  EXPECT_EQ(refused({"laod", "x"}).kind, "usage.command");
  EXPECT_THAT(refused({"laod", "x"}).remedy, HasSubstr("'load'"));
  EXPECT_THAT(refused({"load", "x", "--splitt", "0"}).remedy, HasSubstr("'--split'"));
  EXPECT_THAT(refused({"load", "x", "--splitt=0"}).message, HasSubstr("--splitt"));
  EXPECT_THAT(refused({"inspect", "x", "--shape", "3"}).remedy, HasSubstr("write"));
  EXPECT_THAT(refused({"plan", "x", "--io-depth", "4"}).remedy, HasSubstr("a flag of load, verify"));
  EXPECT_THAT(refused({"verify", "x", "--io-landing=auto"}).remedy, HasSubstr("a flag of plan, load"));
  EXPECT_THAT(refused({"zzzzzzzz"}).remedy, HasSubstr("inspect, plan, load"));
}

TEST(Arguments, RefuseFlagsBeforeTheCommand) {
  EXPECT_EQ(refused({"--ranks", "2", "load", "x"}).kind, "usage.flag");
  EXPECT_EQ(refused({"--json", "load", "x"}).kind, "usage.flag");
}

TEST(Arguments, RefuseWrongNumbersOfWords) {
  EXPECT_EQ(refused({"load"}).kind, "usage.missing");
  EXPECT_EQ(refused({"clean"}).kind, "usage.missing");
  for (const Words& words : std::vector<Words>{{"clean", "a", "b"},
                                               {"demo", "a"},
                                               {"load", "x", "--split"},
                                               {"load", "x", "--split", "0", "--split", "1"},
                                               {"load", "x", "--json=perhaps"}}) {
    EXPECT_EQ(refused(words).code, Code::bad_argument) << testing::PrintToString(words);
  }
}

TEST(Arguments, KeepJsonWhateverElseIsWrong) {
  const Words words{"laod", "x", "--json"};
  const Parsed result = parse(words);
  EXPECT_TRUE(result.failure);
  EXPECT_TRUE(result.arguments.json);
}

TEST(Arguments, HelpRunsNothing) {
  for (const Words& words : std::vector<Words>{{"--help"},
                                               {"-h"},
                                               {"help"},
                                               {"load", "--help"},
                                               {"load", "-h"},
                                               {"clean", "x", "--yes", "--help"},
                                               {"--version"}}) {
    const Parsed result = parse(words);
    EXPECT_TRUE(result.print) << testing::PrintToString(words);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_FALSE(result.failure);
  }
  const Parsed nothing = parse(Words{});
  EXPECT_TRUE(nothing.print);
  EXPECT_EQ(nothing.exit_code, 2);
}

}  // namespace
}  // namespace loadstone::cli
