// The main job under real launchers: the digest is one number for every stack, rank count, split, tiling, budget and
// backend, and a failure is the same error on every rank.
#include "mpi/world.hpp"
#include "support/index_shards.hpp"

#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace loadstone {
namespace {

const Shape kShape = {61, 7, 3};
const std::vector<std::int64_t> kRows = {9, 0, 20, 1, 31};
// Of int32 and float64 elements that are their own index, by the definition (DS62) in Python with the xxhash package.
constexpr const char* kDigest = "290a71c57320bb7fdd7a743354798b41";
constexpr const char* kDigestAsDouble = "ac83fc0dd929588d50c00c796b0c9596";

/// Waits for all ranks.
void meet() {
  std::vector<std::int64_t> nothing = {0};
  const auto request = test::world()->iallreduce(nothing, Reduce::max);
  while (!request->test()) std::this_thread::yield();
}

/// Shards that rank 0 writes and takes away again; the name follows from the launcher's process, known to all ranks.
class MpiLoad : public testing::Test {
 protected:
  void SetUp() override {
    const auto& world = test::world();
    std::string name(256, '\0');
    if (world->rank() == 0) {
      directory_ = std::make_unique<test::TempDir>();
      test::write_index_shards(*directory_, kShape, kRows,
                               {{}, {true, false, 4096}, {false, true, 711}, {true, true, 128}});
      directory_->path().string().copy(name.data(), name.size() - 1);
    }
    const auto request = world->ibroadcast(std::as_writable_bytes(std::span(name)), 0);
    while (!request->test()) std::this_thread::yield();
    path_ = name.c_str();
  }
  void TearDown() override { meet(); }

  void expect_digest(const LoadOptions& options, const char* wanted) {
    const DistributedArray array = load({path_}, options, test::world());
    EXPECT_EQ(array.digest(), wanted) << "split " << options.split.value_or(-1);
    EXPECT_LE(array.stats.peak_bytes, array.stats.budget_bytes);
  }

  std::unique_ptr<test::TempDir> directory_;
  std::string path_;
};

std::vector<std::optional<std::int64_t>> splits() { return {0, 1, 2, std::nullopt}; }

TEST_F(MpiLoad, DS62OneDigestForEverySplitTilingAndBackend) {
  for (const char* const backend : {"posix", "uring"}) {
    if (backend == std::string("uring") && !backends()[1].usable) continue;
    LoadOptions options;
    options.io.backend = backend;
    for (const auto& split : splits()) {
      options.split = split;
      expect_digest(options, kDigest);
    }
    options.split = 0;
    options.tiles = Tiles::ceil;
    expect_digest(options, kDigest);
    options.overdecompose = 3;
    expect_digest(options, kDigest);
    options = {};
    options.io.backend = backend;
    options.has_rows_per_rank = true;
    options.rows_per_rank.assign(static_cast<std::size_t>(test::world()->size()), 0);
    options.rows_per_rank.back() = 61;
    expect_digest(options, kDigest);
  }
}

TEST_F(MpiLoad, M4OneDigestFromTheSmallestBudgetUp) {
  LoadOptions options;
  options.dtype = parse_dtype("float64");
  for (const auto& split : splits()) {
    options.split = split;
    options.budget_bytes = 1;
    std::int64_t smallest = 0;
    try {
      load({path_}, options, test::world());
      FAIL() << "a budget of one byte was enough";
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::budget);
      smallest = std::get<std::int64_t>(error.faults().front().wanted);
    }
    for (const std::int64_t budget : {smallest, 2 * smallest, std::int64_t{64} << 20}) {
      options.budget_bytes = budget;
      expect_digest(options, kDigestAsDouble);
    }
  }
}

TEST_F(MpiLoad, P5TheSameErrorOnEveryRankAndTheCommunicatorGoesOn) {
  const auto& world = test::world();
  LoadOptions lossy;
  lossy.dtype = parse_dtype("int8");
  lossy.casting = Casting::checked;
  std::string text;
  try {
    load({path_}, lossy, world);
    ADD_FAILURE() << "values were lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::lossy);
    text = error.what();
  }
  text.resize(2048);
  std::string first = text;
  const auto request = world->ibroadcast(std::as_writable_bytes(std::span(first)), 0);
  while (!request->test()) std::this_thread::yield();
  EXPECT_EQ(text, first) << "another text than rank 0's";
  expect_digest({}, kDigest);
}

/// Everything that is said to be local, on rank 0 alone. A hidden collective would wait for the others, or meet their
/// next one; where calls are recorded it is named.
TEST_F(MpiLoad, T33WhatOneRankDoesAloneCallsNobody) {
  const auto& world = test::world();
  auto first = std::make_unique<DistributedArray>(load({path_}, {}, world));
  auto second = std::make_unique<DistributedArray>(load({path_}, {.split = 1}, world->duplicate()));
  if (world->rank() == 0) {
    const auto copy = std::make_unique<DistributedArray>(*first);
    EXPECT_FALSE(copy->summary().empty() || copy->comm()->description().empty());
    EXPECT_EQ(copy->local_shapes().size(), static_cast<std::size_t>(world->size()));
    static_cast<void>(copy->counts_displs());
    EXPECT_THROW(static_cast<void>(copy->local<char>()), Error) << "while copies of the array unwind";
    BatchStream stream({path_}, 7);
    EXPECT_TRUE(stream.next());
    first.reset();
  }
  second.reset();
  first.reset();
  expect_digest({}, kDigest);
}

}  // namespace
}  // namespace loadstone
