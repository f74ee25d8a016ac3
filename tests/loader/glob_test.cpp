// Globs (DS2): one component against a name, and directories on disk.
#include "loader/glob.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace loadstone::loader {
namespace {

TEST(Glob, DS2MatchesOneComponent) {
  struct Row {
    const char* pattern;
    const char* name;
    bool matches;
  };
  for (const Row& row : std::vector<Row>{{"shard_*.npy", "shard_0001.npy", true},
                                         {"shard_*.npy", "shard_.npy", true},
                                         {"shard_*.npy", "shard_0001.npz", false},
                                         {"*", "x", true},
                                         {"*", ".x", false},
                                         {"?x", ".x", false},
                                         {"[.]x", ".x", false},
                                         {"s?.npy", "s1.npy", true},
                                         {"s?.npy", "s11.npy", false},
                                         {"s[0-3].npy", "s3.npy", true},
                                         {"s[0-3].npy", "s4.npy", false},
                                         {"s[!0-3].npy", "s4.npy", true},
                                         {"s[^0-3].npy", "s1.npy", false},
                                         {"s[a-cx].npy", "sx.npy", true},
                                         {"s[]].npy", "s].npy", true},
                                         {"s[-a]", "s-", true},
                                         {"s[a-]", "s-", true},
                                         {"s[.npy", "s[.npy", true},
                                         {"a*b*c", "aXbYbZc", true},
                                         {"a*b*c", "aXbYbZ", false},
                                         {"", "", true},
                                         {"", "a", false},
                                         {"**", "abc", true},
                                         {"[a-z]hard_000[0-3].npy", "shard_0002.npy", true}}) {
    EXPECT_EQ(glob_match(row.pattern, row.name), row.matches) << row.pattern << " against " << row.name;
  }
}

TEST(Glob, ManyStarsTakeNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "a*";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(4000, 'a')));
}

class GlobOnDisk : public testing::Test {
 protected:
  void touch(const std::string& name) { test::write_file(path(name), ""); }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
  void make(const std::string& name) { std::filesystem::create_directories(path(name)); }

  test::TempDir directory_;
};

TEST_F(GlobOnDisk, MagicInAnyComponentStaysInItsComponent) {
  for (const char* name : {"run1", "run2", "run1/deep", "other"}) make(name);
  for (const char* name : {"run1/s0", "run2/s1", "run1/deep/s9", "other/s2", "run1/.s3", "s4"}) touch(name);
  const GlobMatches matches = expand_glob(path("run?/s*"));
  EXPECT_EQ(matches.root, directory_.path().string());
  EXPECT_EQ(matches.names, (std::vector<std::string>{"run1/s0", "run2/s1"}));
}

TEST_F(GlobOnDisk, WhatMatchedNothingIsNamed) {
  make("run1");
  touch("run1/shard_0");
  const GlobMatches matches = expand_glob(path("run*/sharb_*"));
  EXPECT_TRUE(matches.names.empty());
  EXPECT_EQ(matches.searched, path("run1"));
  EXPECT_EQ(matches.component, "sharb_*");
}

TEST(Paths, JoinDirectoryBase) {
  EXPECT_EQ(join_path(".", "a"), "a");
  EXPECT_EQ(join_path("", "a"), "a");
  EXPECT_EQ(join_path("/", "a"), "/a");
  EXPECT_EQ(join_path("d", "a"), "d/a");
  EXPECT_EQ(directory_of("a"), ".");
  EXPECT_EQ(directory_of("/a"), "/");
  EXPECT_EQ(directory_of("d/e/a"), "d/e");
  EXPECT_EQ(base_name("d/e/a"), "a");
}

}  // namespace
}  // namespace loadstone::loader
