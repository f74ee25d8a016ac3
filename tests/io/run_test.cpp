// A run with a chooser whose questions the test answers.
#include "io/run.hpp"

#include "engine_support.hpp"
#include "run_support.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

namespace loadstone::io {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class RunTest : public testing::Test {
 protected:
  /// Loads all of a file, with cachestat answering `error`, and checks every byte.
  void load(int error, bool cold, std::int64_t bytes) {
    files_ = {test::input(dir_.write("f", test::pattern(bytes)))};
    test::drop_from_cache(files_[0].name.name);
    if (!cold) std::ifstream(files_[0].name.name, std::ios::binary).ignore(bytes);
    ResidencyQuestions questions;
    questions.residency = [error](int, std::int64_t, std::int64_t) {
      Residency told;
      told.error = error;
      return told;
    };
    bench_.questions = questions;
    backend_ = std::make_unique<test::CountingBackend>(make_backend("posix", 16, nullptr).value(), counts_);
    const Status status = bench_.carry_out(files_, source(bytes), *backend_);
    ASSERT_TRUE(status.ok()) << describe(status.failure());
    EXPECT_TRUE(source_->each_done_once());
    EXPECT_TRUE(test::holds(landing_->at(0, bytes), 0));
    EXPECT_EQ(counters_.bytes_in_place + counters_.bytes_staged, bytes);
    EXPECT_EQ(counts_.requests, counts_.completions);
  }

  ReadSource& source(std::int64_t bytes) {
    landing_ = std::make_unique<test::Landing>(bytes);
    source_ = std::make_unique<test::ListSource>(std::vector<Read>{{0, 0, landing_->at(0, bytes)}});
    return *source_;
  }

  test::TempDir dir_{"."};
  test::RunBench bench_;
  Counters& counters_ = bench_.counters;
  test::CountingBackend::Counts counts_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<test::Landing> landing_;
  std::unique_ptr<test::ListSource> source_;
  std::vector<InputFile> files_;
};

TEST_F(RunTest, WhereNobodyTellsEachWindowIsAskedOnce_IO14) {
  for (const int error : {ENOSYS, EPERM}) {
    for (const bool cold : {true, false}) {
      SCOPED_TRACE(testing::Message() << "errno " << error << (cold ? " cold" : " warm"));
      counters_ = {};
      counts_ = {};
      load(error, cold, 2 * kWindowBytes + 12'345);
      EXPECT_EQ(counts_.nowait, 3) << "one real request that must not block, a window";
    }
  }
}

TEST_F(RunTest, WhatIsAskedAndNotThereIsReadDirectly_IO14) {
  load(EPERM, true, 2 * kWindowBytes + 12'345);
  if (counts_.direct == 0) GTEST_SKIP() << "no direct I/O, or no way to empty the page cache, here";
  EXPECT_EQ(counters_.bytes_by_way[static_cast<std::size_t>(Way::buffered)], 0) << "the asking requests too";
}

TEST_F(RunTest, AnsweredShortTheRestGoesOn_IO14) {
  files_ = {test::input(dir_.write("f", test::pattern(3 * kMiB)))};
  load(ENOSYS, true, 3 * kMiB);
  counters_ = {};
  load(ENOSYS, false, 3 * kMiB);
}

}  // namespace
}  // namespace loadstone::io
