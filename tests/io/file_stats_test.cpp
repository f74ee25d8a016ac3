// Counts of single files beside those of all.
#include "engine_support.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace loadstone::io {
namespace {

using test::Landing;
using test::ListSource;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class FileStatsTest : public testing::Test {
 protected:
  FileStatsTest() { settings_.file_stats = true; }

  void add_file(std::int64_t bytes) {
    const auto index = static_cast<std::int64_t>(files_.size());
    const std::string path = dir_.write("shard_" + std::to_string(index), test::pattern(bytes, index));
    files_.push_back(test::input(path, index));
  }

  Engine& make(std::unique_ptr<Backend> backend) {
    auto made = Engine::make(settings_, opener_, ledger_, std::move(backend));
    EXPECT_TRUE(made.ok());
    engine_ = std::move(*made);
    return *engine_;
  }

  std::unique_ptr<Backend> posix() { return make_backend("posix", 64, nullptr).value(); }

  test::TempDir dir_;
  Opener opener_;
  Ledger ledger_{256 * kMiB};
  EngineSettings settings_;
  Interrupt interrupt_;
  std::vector<InputFile> files_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(FileStatsTest, CountsByFileAddUpToThoseOfAll_IO40) {
  SCOPED_TRACE(test::seed_note());
  constexpr std::int64_t kFiles = 6;
  constexpr std::int64_t kBytes = 3 * kMiB;
  for (std::int64_t f = 0; f < kFiles; ++f) add_file(kBytes);
  add_file(kMiB);  // nothing is read of it
  Landing landing(kFiles * kBytes);
  std::vector<Read> reads;
  for (std::int64_t f = 0; f < kFiles; ++f) reads.push_back({f, f, landing.at(f * kBytes, kBytes - f)});
  Engine& engine = make(std::make_unique<test::InterruptingBackend>(
      std::make_unique<test::ShortReadingBackend>(posix(), test::seed()), test::seed()));
  for (int again = 0; again < 2; ++again) {
    // Two runs over the same files, as in the rounds of a load.
    const auto half = reads.begin() + kFiles / 2;
    for (const std::vector<Read>& part :
         {std::vector<Read>(reads.begin(), half), std::vector<Read>(half, reads.end())}) {
      ListSource source(part);
      ASSERT_TRUE(engine.run(files_, source, interrupt_).ok());
    }
    const LoadStats stats = engine.take_stats();
    ASSERT_EQ(stats.files.size(), static_cast<std::size_t>(kFiles));
    FileStats sum;
    for (std::size_t f = 0; f < stats.files.size(); ++f) {
      const FileStats& file = stats.files[f];
      EXPECT_EQ(file.path, files_[f].name.path());
      EXPECT_EQ(file.bytes_read, file.bytes_buffered + file.bytes_direct + file.bytes_mapped);
      EXPECT_EQ(file.bytes_in_place + file.bytes_staged, kBytes - static_cast<std::int64_t>(f));
      EXPECT_GT(file.slowest_seconds, 0);
      EXPECT_GE(file.opens, 1);
      sum.bytes_read += file.bytes_read;
      sum.bytes_in_place += file.bytes_in_place;
      sum.bytes_staged += file.bytes_staged;
      sum.requests += file.requests;
      sum.short_reads += file.short_reads;
      sum.retries += file.retries;
      sum.opens += file.opens;
    }
    EXPECT_EQ(sum.bytes_read, stats.bytes_read);
    EXPECT_EQ(sum.bytes_in_place, stats.bytes_in_place);
    EXPECT_EQ(sum.bytes_staged, stats.bytes_staged);
    EXPECT_EQ(sum.requests, stats.requests);
    EXPECT_EQ(sum.short_reads, stats.short_reads);
    EXPECT_EQ(sum.retries, stats.retries);
    EXPECT_EQ(sum.opens, stats.opens);
    EXPECT_TRUE(engine.take_stats().files.empty()) << "counts start anew";
  }
}

TEST_F(FileStatsTest, AFallbackIsToldWithItsFile_IO40) {
  settings_.direct = "on";
  add_file(kMiB);
  add_file(kMiB);
  std::int64_t calls = 0;
  Engine& engine = make(std::make_unique<test::FailingBackend>(posix(), 0, EINVAL, false, calls));
  Landing landing(2 * kMiB);
  test::drop_from_cache(files_[0].name.name);
  test::drop_from_cache(files_[1].name.name);
  ListSource source({{0, 0, landing.at(0, kMiB)}, {1, 0, landing.at(kMiB, kMiB)}});
  ASSERT_TRUE(engine.run(files_, source, interrupt_).ok());
  const LoadStats stats = engine.take_stats();
  std::size_t reasons = 0;
  for (const FileStats& file : stats.files) reasons += file.fallbacks.size();
  EXPECT_EQ(reasons, stats.fallbacks.size());
  for (const FileStats& file : stats.files) {
    for (const std::string& reason : file.fallbacks) EXPECT_TRUE(stats.fallbacks.contains(reason)) << reason;
  }
}

}  // namespace
}  // namespace loadstone::io
