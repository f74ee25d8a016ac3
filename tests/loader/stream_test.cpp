// Batches of a stream: in order, the caller's own, within the budget, and each failure at its turn.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/index_shards.hpp"

namespace loadstone {
namespace {

using test::TempDir;

const Shape kShape = {61, 7, 3};
constexpr std::int64_t kRowElements = 7 * 3;
constexpr std::int64_t kElements = 61 * kRowElements;

/// How many threads this process has.
std::int64_t threads_alive() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

class StreamTest : public testing::Test {
 protected:
  StreamTest() {
    test::write_index_shards(directory_, kShape, {9, 0, 20, 1, 31},
                             {{}, {true, false, 4096}, {false, true, 711}, {true, true, 128}});
  }
  [[nodiscard]] Paths paths() const { return {directory_.path().string()}; }

  /// Takes a batch whose first element is `wanted`, and moves `wanted` on.
  template <class T>
  static std::optional<DistributedArray> take(BatchStream& stream, T& wanted) {
    std::optional<DistributedArray> batch = stream.next();
    if (!batch) return batch;
    for (const T value : batch->local<T>()) {
      EXPECT_EQ(value, wanted);
      wanted += 1;
    }
    return batch;
  }

  /// Takes batches until one fails; the failure. Expects at least one to come before it.
  static Error until_it_fails(BatchStream& stream, std::int32_t& wanted) {
    try {
      while (take(stream, wanted)) {
      }
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing failed";
    return Error(Failure());
  }

  TempDir directory_;
};

TEST_F(StreamTest, DS55BatchesComeInOrderAndOwnTheirMemory) {
  for (const std::int64_t batch_rows : {1, 4, 61, 100}) {
    BatchStream stream(paths(), batch_rows);
    std::vector<DistributedArray> batches;
    while (std::optional<DistributedArray> batch = stream.next()) batches.push_back(*batch);
    stream.close();
    EXPECT_FALSE(stream.next());
    std::int32_t wanted = 0;
    for (const DistributedArray& batch : batches) {
      EXPECT_LE(batch.shape()[0], batch_rows);
      for (const std::int32_t value : batch.local<std::int32_t>()) ASSERT_EQ(value, wanted++);
    }
    EXPECT_EQ(wanted, kElements);
  }
}

TEST_F(StreamTest, WhatTheCallerHoldsIsNeverReadInto) {
  for (const std::size_t kept : {1U, 2U, 3U, 20U}) {
    BatchStream stream(paths(), 2);
    std::deque<DistributedArray> held;
    std::int32_t wanted = 0;
    while (std::optional<DistributedArray> batch = take(stream, wanted)) {
      for (std::int32_t& value : batch->local<std::int32_t>()) value = -1;
      held.push_back(std::move(*batch));
      if (held.size() > kept) held.pop_front();
      for (const DistributedArray& old : held) {
        for (const std::int32_t value : old.local<std::int32_t>()) ASSERT_EQ(value, -1);
      }
    }
    EXPECT_EQ(wanted, kElements);
  }
}

TEST_F(StreamTest, ReadsAheadWithinTheBudget) {
  LoadOptions options;
  for (const std::int64_t budget : {std::int64_t{64} << 20, std::int64_t{1} << 20, std::int64_t{280'000}}) {
    options.budget_bytes = budget;
    BatchStream stream(paths(), 2, options);
    std::int32_t wanted = 0;
    std::set<const std::byte*> places;
    bool was_ahead = false;
    while (std::optional<DistributedArray> batch = take(stream, wanted)) {
      EXPECT_LE(batch->stats.peak_bytes, budget);
      was_ahead = was_ahead || batch->stats.peak_by_use.contains("batches");
      places.insert(batch->local_bytes().data());
    }
    EXPECT_EQ(wanted, kElements);
    EXPECT_TRUE(was_ahead);
    EXPECT_LE(places.size(), 12U) << "of 31: memory of dropped batches is used again";
  }
}

TEST_F(StreamTest, WithoutRoomForTwoBatchesOneIsReadAfterTheOther) {
  LoadOptions options;
  options.budget_bytes = 1;
  std::int64_t smallest = 0;
  try {
    BatchStream(paths(), 30, options).next();
    FAIL() << "a budget of one byte was enough";
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), Code::budget);
    smallest = std::get<std::int64_t>(error.faults().front().wanted);
  }
  options.budget_bytes = smallest;
  BatchStream stream(paths(), 30, options);
  std::int32_t wanted = 0;
  while (std::optional<DistributedArray> batch = take(stream, wanted)) {
    EXPECT_LE(batch->stats.peak_bytes, smallest);
    EXPECT_FALSE(batch->stats.peak_by_use.contains("batches"));
  }
  EXPECT_EQ(wanted, kElements);
}

TEST_F(StreamTest, C112EndingEarlyAfterAnyBatchLeavesNoThread) {
  const std::int64_t before = threads_alive();
  for (const bool keeps : {false, true}) {
    for (int batches = 0; batches < 31; ++batches) {
      std::vector<DistributedArray> kept;
      BatchStream stream(paths(), 2);
      for (int i = 0; i < batches; ++i) {
        std::optional<DistributedArray> batch = stream.next();
        ASSERT_TRUE(batch);
        if (keeps) kept.push_back(std::move(*batch));
      }
      stream.close();
      EXPECT_EQ(threads_alive(), before) << "after " << batches;
      EXPECT_FALSE(stream.next());
      std::int32_t wanted = 0;
      for (const DistributedArray& batch : kept) {
        for (const std::int32_t value : batch.local<std::int32_t>()) ASSERT_EQ(value, wanted++);
      }
    }
  }
}

TEST_F(StreamTest, AStopOfTheCallersIsCancelled) {
  std::stop_source stop;
  LoadOptions options;
  options.stop = stop.get_token();
  BatchStream stream(paths(), 1, options);
  std::int32_t wanted = 0;
  ASSERT_TRUE(take(stream, wanted));
  stop.request_stop();
  EXPECT_EQ(until_it_fails(stream, wanted).code(), Code::cancelled);
}

TEST_F(StreamTest, AFailureComesAtTheTurnOfItsBatchAndAgainUntilItIsGone) {
  LoadOptions options;
  options.identity = IdentityRule::size_mtime;  // so that a file may go and come back
  for (const std::int64_t batch_rows : {1, 3}) {
    BatchStream stream(paths(), batch_rows, options);
    const std::string path = directory_.file("shard_0003.npy");  // row 29
    std::filesystem::rename(path, directory_.file("away"));
    std::int32_t wanted = 0;
    const std::int64_t rows_before = 29 / batch_rows * batch_rows;
    for (int again = 0; again < 3; ++again) {
      const Error error = until_it_fails(stream, wanted);
      EXPECT_NE(std::string(error.what()).find("shard_0003.npy"), std::string::npos) << error.what();
      EXPECT_EQ(wanted, rows_before * kRowElements) << "batches before it come first";
    }
    std::filesystem::rename(directory_.file("away"), path);
    while (take(stream, wanted)) {
    }
    EXPECT_EQ(wanted, kElements);
  }
}

TEST_F(StreamTest, ALostValueIsTheFailureOfItsBatch) {
  LoadOptions options;
  options.dtype = parse_dtype("int8");
  options.casting = Casting::checked;
  BatchStream stream(paths(), 2, options);  // row 6 has the first value that is too large
  for (int batch = 0; batch < 3; ++batch) ASSERT_TRUE(stream.next()) << batch;
  for (int again = 0; again < 2; ++again) {
    try {
      stream.next();
      ADD_FAILURE() << "values were lost";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::lossy);
      EXPECT_NE(std::string(error.what()).find("128, is out of range as int8"), std::string::npos) << error.what();
    }
  }
}

TEST_F(StreamTest, AFileThatChangesBetweenBatchesIsReported) {
  for (const bool cut : {false, true}) {
    const TempDir directory;
    test::write_index_shards(directory, kShape, {30, 31});
    BatchStream stream({directory.path().string()}, 1);
    std::int32_t wanted = 0;
    while (wanted < 40 * kRowElements) ASSERT_TRUE(take(stream, wanted));
    const std::string path = directory.file("shard_0001.npy");
    if (cut) {
      std::filesystem::resize_file(path, 2000);
    } else {
      std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(2500).put('x');
    }
    const Error error = until_it_fails(stream, wanted);
    EXPECT_TRUE(error.code() == Code::changed || error.code() == Code::malformed) << error.what();
    EXPECT_LT(wanted, kElements) << "what was read before the change still comes, no more";
  }
}

TEST_F(StreamTest, TheDeadlineDoesNotCountTheTimeOfTheCaller) {
  LoadOptions options;
  options.deadline_s = 1;
  BatchStream stream(paths(), 2, options);
  std::int32_t wanted = 0;
  ASSERT_TRUE(take(stream, wanted));
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));  // 8 batches are read, then it waits
  while (take(stream, wanted)) {
  }
  EXPECT_EQ(wanted, kElements);
}

TEST_F(StreamTest, CastAndColumnMajorBatchesAreStagedWithinTheBudget) {
  LoadOptions options;
  options.dtype = parse_dtype("float64");
  for (const char* const threads : {"1", "3"}) {
    options.io.threads = std::stoll(threads);
    for (const std::int64_t budget : {std::int64_t{600'000}, std::int64_t{64} << 20}) {
      options.budget_bytes = budget;
      for (const std::int64_t batch_rows : {1, 5}) {
        BatchStream stream(paths(), batch_rows, options);
        double wanted = 0;
        while (std::optional<DistributedArray> batch = take(stream, wanted)) {
          EXPECT_LE(batch->stats.peak_bytes, budget);
        }
        EXPECT_EQ(wanted, static_cast<double>(kElements));
      }
    }
  }
}

TEST_F(StreamTest, RowsAreCutFirst) {
  LoadOptions options;
  options.rows = Slice{8, 59, 1};
  BatchStream stream(paths(), 4, options);
  std::int32_t wanted = 8 * kRowElements;
  std::int64_t batches = 0;
  while (take(stream, wanted)) ++batches;
  EXPECT_EQ(wanted, 59 * kRowElements);
  EXPECT_EQ(batches, 13);
}

TEST_F(StreamTest, EveryThirdRow) {
  LoadOptions options;
  options.rows = Slice{1, 60, 3};
  BatchStream stream(paths(), 4, options);
  std::int32_t row = 1;
  while (const std::optional<DistributedArray> batch = stream.next()) {
    const auto values = batch->local<std::int32_t>();
    for (std::size_t at = 0; at < values.size(); at += kRowElements, row += 3) {
      EXPECT_EQ(values[at], row * kRowElements);
    }
  }
  EXPECT_EQ(row, 61);
}

TEST_F(StreamTest, ABatchOfNoBytesComesToo) {
  const TempDir directory;
  test::write_index_shards(directory, {9, 0}, {4, 5});
  BatchStream stream({directory.path().string()}, 2);
  std::int64_t rows = 0;
  while (std::optional<DistributedArray> batch = stream.next()) rows += batch->shape()[0];
  EXPECT_EQ(rows, 9);
}

TEST(Stream, SumsOfWholeShardsAreCompared) {
  const TempDir directory;
  const Paths paths = {directory.path().string()};
  test::write_index_shards(directory, {20, 6}, {5, 5, 5, 5});
  VerifyOptions writing;
  writing.write_manifest = true;
  verify(paths, writing);
  LoadOptions options;
  options.verify = Verify::crc;
  BatchStream good(paths, 5, options);
  std::int64_t batches = 0;
  for (; const std::optional<DistributedArray> batch = good.next(); ++batches) {
    EXPECT_EQ(batch->stats.unverified_bytes, 0);
  }
  EXPECT_EQ(batches, 4);
  std::fstream(directory.file("shard_0002.npy"), std::ios::in | std::ios::out | std::ios::binary).seekp(150).put('x');
  BatchStream bad(paths, 5, options);
  for (int batch = 0; batch < 2; ++batch) ASSERT_TRUE(bad.next()) << batch;
  try {
    bad.next();
    FAIL() << "a wrong byte went unseen";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().first().kind, "verify.differs");
  }
}

TEST_F(StreamTest, StatisticsOfBatchesAddUp) {
  BatchStream stream(paths(), 4);
  LoadStats sum;
  while (const std::optional<DistributedArray> batch = stream.next()) {
    EXPECT_EQ(batch->stats.bytes_wanted, static_cast<std::int64_t>(batch->local_bytes().size()));
    sum.bytes_wanted += batch->stats.bytes_wanted;
    sum.bytes_in_place += batch->stats.bytes_in_place;
    sum.bytes_staged += batch->stats.bytes_staged;
    sum.bytes_read += batch->stats.bytes_read;
    sum.opens += batch->stats.opens;
    EXPECT_FALSE(batch->stats.backend.empty());
  }
  EXPECT_EQ(sum.bytes_wanted, kElements * 4);
  EXPECT_GE(sum.bytes_in_place + sum.bytes_staged, kElements * 4);
  EXPECT_GE(sum.bytes_read, kElements * 4);
  EXPECT_GE(sum.opens, 4);
  EXPECT_LE(sum.opens, 8) << "files stay open from batch to batch";
  stream.close();
  const LoadStats& told = stream.stats();
  EXPECT_EQ(told.bytes_wanted, sum.bytes_wanted);
  EXPECT_EQ(told.bytes_in_place, sum.bytes_in_place);
  EXPECT_EQ(told.bytes_staged, sum.bytes_staged);
  EXPECT_EQ(told.bytes_read, sum.bytes_read);
  EXPECT_EQ(told.opens, sum.opens);
  std::int64_t by_way = 0;
  for (const auto& [way, bytes] : told.bytes_by_way) by_way += bytes;
  EXPECT_EQ(by_way, sum.bytes_read);
  EXPECT_LE(told.peak_bytes, told.budget_bytes);
}

TEST_F(StreamTest, CountsByFileAreThoseOfTheBatch_IO40) {
  LoadOptions options;
  options.io.file_stats = true;
  BatchStream stream(paths(), 4, options);
  std::set<std::string> files;
  while (const std::optional<DistributedArray> batch = stream.next()) {
    std::int64_t landed = 0;
    for (const FileStats& file : batch->stats.files) {
      files.insert(file.path);
      landed += file.bytes_in_place + file.bytes_staged;
    }
    EXPECT_EQ(landed, batch->stats.bytes_in_place + batch->stats.bytes_staged);
  }
  EXPECT_GE(files.size(), 2U);
  std::set<std::string> of_all;
  for (const FileStats& file : stream.stats().files) of_all.insert(file.path);
  EXPECT_EQ(of_all, files);
  EXPECT_EQ(stream.stats().files.size(), files.size()) << "each once";
}

TEST_F(StreamTest, ProgressIsToldOnTheCallersThreadAndEndsWithAllOfTheBatch) {
  LoadOptions options;
  std::vector<Progress> told;
  const std::thread::id caller = std::this_thread::get_id();
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    told.push_back(progress);
  };
  BatchStream stream(paths(), 9, options);
  while (const std::optional<DistributedArray> batch = stream.next()) {
    ASSERT_FALSE(told.empty());
    EXPECT_GE(told.back().bytes_done, told.back().bytes_wanted);
    EXPECT_EQ(told.back().bytes_wanted, batch->stats.bytes_wanted);
    told.clear();
  }
}

TEST_F(StreamTest, WhatProgressThrowsLosesNoBatch) {
  LoadOptions options;
  bool throws = true;
  options.progress = [&](const Progress&) {
    if (std::exchange(throws, false)) throw std::runtime_error("enough");
  };
  BatchStream stream(paths(), 9, options);
  EXPECT_THROW(stream.next(), std::runtime_error);
  std::int32_t wanted = 0;
  while (take(stream, wanted)) {
  }
  EXPECT_EQ(wanted, kElements);
}

/// The reason is one that no other test of this program meets: each is told once in a process.
TEST(Stream, IO11FallbacksAreAnnouncedWithTheBatchesThatMetThem) {
  const TempDir directory;
  test::write_index_shards(directory, {4096, 600}, {4096});
  LoadOptions options;
  options.io.huge_pages = "hugetlb";
  std::vector<std::string> told;
  options.log = [&](const std::string& reason) { told.push_back(reason); };
  BatchStream stream({directory.path().string()}, 2048, options);
  const auto batch = stream.next();
  ASSERT_TRUE(batch);
  if (batch->stats.fallbacks.empty()) GTEST_SKIP() << "this system has a reserved pool of 2 MiB pages";
  EXPECT_EQ(told, std::vector<std::string>{"2 MiB pages of the reserved pool refused: ENOMEM"});
  EXPECT_TRUE(stream.next());
  EXPECT_EQ(told.size(), 1U) << "once";
}

}  // namespace
}  // namespace loadstone
