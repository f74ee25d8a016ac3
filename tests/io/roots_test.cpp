#include "io/roots.hpp"

#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace loadstone::io {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/// world/data is the root; world/blobs may be allowed; world/secret never is.
class Roots : public testing::TestWithParam<Resolver> {
 protected:
  Roots() {
    for (const char* name : {"data", "data/sub", "data/sub/deep", "blobs", "secret"})
      fs::create_directory(world_ / name);
    world_.write("data/a", "a");
    world_.write("data/sub/b", "b");
    world_.write("blobs/x", "x");
    world_.write("secret/key", "key");
  }

  void link(const std::string& target, const std::string& name) { fs::create_symlink(target, world_ / name); }

  ConfinedOpen open(const std::string& name, bool allow_blobs = true) {
    int error = 0;
    const Root root = open_root(world_ / "data", &error);
    EXPECT_EQ(error, 0);
    std::vector<Root> allowed;
    if (allow_blobs) allowed.push_back(open_root(world_ / "blobs", &error));
    return open_confined(root, allowed, name, kFlags, GetParam());
  }

  std::string content(const ConfinedOpen& opened) {
    std::array<char, 16> text = {};
    const ssize_t n = ::read(opened.descriptor.get(), text.data(), text.size());
    return n < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(n));
  }

  TempDir world_;
};

INSTANTIATE_TEST_SUITE_P(, Roots, testing::Values(Resolver::kernel, Resolver::walk),
                         [](const auto& p) { return p.param == Resolver::kernel ? "Openat2" : "Walk"; });

TEST_P(Roots, OpensWhatLiesBelow_IO5) {
  link("a", "data/to_a");
  link("../a", "data/sub/up_to_a");
  link("sub", "data/folder");
  link("folder/../a", "data/through");
  link(world_ / "data/sub/b", "data/absolute");
  EXPECT_EQ(content(open("a")), "a");
  EXPECT_EQ(content(open("./sub//b")), "b");
  EXPECT_EQ(content(open("to_a")), "a");
  EXPECT_EQ(content(open("sub/up_to_a")), "a");
  EXPECT_EQ(content(open("folder/b")), "b");
  EXPECT_EQ(content(open("through")), "a");
  EXPECT_EQ(content(open("absolute")), "b") << "an absolute link back into the root";
}

TEST_P(Roots, FollowsLinksIntoAllowedRootsOnly_IO5) {
  link("../blobs/x", "data/model");
  link(world_ / "blobs/x", "data/model_absolute");
  link("../blobs", "data/all");
  link("../../blobs/x", "data/sub/model");
  link("../model", "data/sub/hop");
  for (const char* name : {"model", "model_absolute", "all/x", "sub/model", "sub/hop"}) {
    EXPECT_EQ(content(open(name)), "x") << name;
    const ConfinedOpen refused = open(name, false);
    EXPECT_FALSE(refused.descriptor.valid()) << name;
    EXPECT_EQ(refused.outside_target, world_ / "blobs/x") << name;
  }
}

TEST_P(Roots, RefusesEveryWayOut_IO5_C107) {
  link("../secret/key", "data/out");
  link(world_ / "secret/key", "data/out_absolute");
  link("../secret", "data/out_folder");
  link("sub/../../secret/key", "data/out_dots");
  link("sub/deep/../../../secret/key", "data/out_deep");
  link("../blobs/../secret/key", "data/out_by_blobs");
  link("/etc/passwd", "data/passwd");
  link("/proc/self/root/etc/passwd", "data/proc");
  link("/", "data/slash");
  link("../data2/a", "data/sibling");
  link("../blobs/escape", "data/chain");
  link("../secret/key", "blobs/escape");
  fs::create_directory(world_ / "data2");
  world_.write("data2/a", "no");
  for (const char* name : {"out", "out_absolute", "out_folder/key", "out_dots", "out_deep", "out_by_blobs", "passwd",
                           "proc", "slash/etc/passwd", "sibling", "chain"}) {
    const ConfinedOpen opened = open(name);
    EXPECT_FALSE(opened.descriptor.valid()) << name;
    EXPECT_FALSE(opened.outside_target.empty()) << name << " errno " << opened.error;
  }
}

TEST_P(Roots, EndsLoops) {
  link("loop_b", "data/loop_a");
  link("loop_a", "data/loop_b");
  const ConfinedOpen opened = open("loop_a");
  EXPECT_FALSE(opened.descriptor.valid());
  EXPECT_EQ(opened.error, ELOOP);
}

/// As many as the kernel follows, wherever they lead on from.
TEST_P(Roots, FollowsFortyLinks_IO5) {
  for (const bool absolute : {true, false}) {
    const std::string kind = absolute ? "absolute_" : "relative_";
    std::string target = "a";
    for (int i = 1; i <= 41; ++i) {
      const std::string name = kind + std::to_string(i);
      link(absolute ? world_ / ("data/" + target) : target, "data/" + name);
      target = name;
    }
    EXPECT_EQ(content(open(kind + "40")), "a");
    EXPECT_EQ(open(kind + "41").error, ELOOP);
  }
}

TEST_P(Roots, KeepsErrnos) {
  link("nowhere", "data/dangling");
  EXPECT_EQ(open("gone").error, ENOENT);
  EXPECT_EQ(open("a/b").error, ENOTDIR);
  EXPECT_EQ(open("dangling").error, ENOENT);
}

/// Links that a thread exchanges meanwhile, in thousands of turns here and a hundred thousand in `make torture`.
std::int64_t wanted_swaps() {
  const char* const given = std::getenv("LOADSTONE_LINK_SWAPS");
  return given == nullptr ? 3000 : std::strtoll(given, nullptr, 10);
}

TEST_P(Roots, LinkSwapsNeverLeadOut_T6_IO5) {
  world_.write("data/honest", "inside");
  link("honest", "data/swapped");
  const std::string next = world_ / "data/next";
  std::atomic<std::int64_t> swaps = 0;
  std::atomic<bool> stop = false;
  const std::int64_t wanted = wanted_swaps();
  std::thread swapper([&] {
    for (int i = 0; swaps < wanted && !stop; ++i) {
      std::error_code failed;
      fs::create_symlink(i % 2 == 0 ? "../secret/key" : "honest", next, failed);
      if (!failed) fs::rename(next, world_ / "data/swapped", failed);
      if (!failed) ++swaps;
    }
  });
  std::int64_t inside = 0;
  std::int64_t outside = 0;
  while (swaps < wanted && outside == 0) {
    const ConfinedOpen opened = open("swapped", false);
    if (!opened.descriptor.valid()) continue;
    content(opened) == "inside" ? ++inside : ++outside;
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(outside, 0);
  EXPECT_GT(inside, 0);
  EXPECT_GE(swaps, wanted);
}

TEST(RefusedName, ListsWhy_T6) {
  for (const std::string_view bad :
       {std::string_view(""), std::string_view("/etc/passwd"), std::string_view(".."), std::string_view("../x"),
        std::string_view("a/../b"), std::string_view("a/.."), std::string_view("a\0b", 3)}) {
    EXPECT_FALSE(refused_name(bad).empty()) << bad;
  }
  for (const std::string_view good : {"a", "a/b", "..a", "a..", "...", "./a", "a//b"}) {
    EXPECT_TRUE(refused_name(good).empty()) << good;
  }
}

TEST(Opener, OutsideRootNamesTargetAndRemedy_IO5) {
  const TempDir world;
  fs::create_directory(world / "data");
  fs::create_directory(world / "blobs");
  world.write("blobs/x", "x");
  fs::create_symlink("../blobs/x", world / "data/model");
  const FileName name = {world / "data", "model"};
  const Result<Descriptor> refused = Opener().open(name);
  ASSERT_FALSE(refused.ok());
  const Fault& fault = refused.status().failure().first();
  EXPECT_EQ(fault.code, Code::outside_root);
  EXPECT_EQ(fault.kind, "paths.outside_root");
  EXPECT_NE(fault.message.find(world / "blobs/x"), std::string::npos);
  EXPECT_NE(fault.remedy.text().find("Add the folder it leads into to roots if"), std::string::npos);
  EXPECT_TRUE(Opener({world / "blobs"}).open(name).ok());
  EXPECT_TRUE(Opener().open({"", world / "data/model"}).ok()) << "a typed name is trusted";
  EXPECT_EQ(Opener().open({world / "data", "../blobs/x"}).status().code(), Code::outside_root);
}

}  // namespace
}  // namespace loadstone::io
