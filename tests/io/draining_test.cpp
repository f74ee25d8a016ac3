// What is in flight when a run fails or is stopped: it comes home at once, and says what it saw.
#include "core/pages.hpp"
#include "engine_support.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

namespace loadstone::io {
namespace {

using test::Landing;
using test::ListSource;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

class DrainingTest : public testing::Test {
 protected:
  void add_warm_file(std::int64_t bytes) {
    const std::string path = dir_.write("f", test::pattern(bytes));
    test::drop_from_cache(path);  // else its pages are dirty, and no copies are made of such
    std::ifstream(path, std::ios::binary).ignore(bytes);
    files_ = {test::input(path)};
  }

  test::TempDir dir_{"."};
  Opener opener_;
  Ledger ledger_{256 * kMiB};
  EngineSettings settings_;
  std::vector<InputFile> files_;
};

TEST_F(DrainingTest, CopiesThatWaitForTheOneThreadAreForgotten_IO38) {
  constexpr std::int64_t kBytes = 16 * kMiB;
  add_warm_file(kBytes);
  settings_.threads = 1;
  auto engine = Engine::make(settings_, opener_, ledger_);
  ASSERT_TRUE(engine.ok());
  const Pages target(kBytes, "auto", 0);
  std::vector<Read> reads;
  for (std::int64_t at = 0; at < kBytes; at += kMiB) {
    reads.push_back({0, at, target.bytes().subspan(static_cast<std::size_t>(at), kMiB)});
  }
  ListSource source(reads);
  std::stop_source stop;
  source.on_done = [&](const Read&) {
    stop.request_stop();
    return Status();
  };
  Interrupt interrupt;
  interrupt.stop = stop.get_token();
  interrupt.deadline_s = 20;
  const double started = steady_seconds();
  EXPECT_EQ((*engine)->run(files_, source, interrupt).code(), Code::cancelled);
  EXPECT_LT(steady_seconds() - started, 10);
  EXPECT_FALSE((*engine)->has_lost_requests());
}

TEST_F(DrainingTest, ErrorsOfRequestsThatComeLateAreNotes_IO35) {
  add_warm_file(40 * 64 * kKiB);
  settings_.request_bytes = 64 * kKiB;
  settings_.direct = settings_.mapped = "off";
  settings_.depth = 32;
  struct Row {
    int error;
    std::size_t least;
    std::size_t most;
  };
  for (const Row& row : {Row{EIO, 1, 4}, Row{ECANCELED, 0, 0}, Row{EINTR, 0, 0}}) {
    auto posix = make_backend("posix", 64, nullptr).value();
    // The first request fails with EIO, all others as the row says.
    std::int64_t calls = 0;
    std::int64_t calls_of_first = 0;
    auto later = std::make_unique<test::FailingBackend>(std::move(posix), 0, row.error, true, calls);
    auto first = std::make_unique<test::FailingBackend>(std::move(later), 0, EIO, false, calls_of_first);
    auto engine = Engine::make(settings_, opener_, ledger_, std::move(first));
    ASSERT_TRUE(engine.ok());
    Landing landing(40 * 64 * kKiB);
    ListSource source({{0, 0, landing.at(0, 40 * 64 * kKiB)}});
    const Status status = (*engine)->run(files_, source, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.failure().first().offset, 0) << "the first stays the first";
    const std::vector<std::string>& notes = status.failure().notes;
    EXPECT_GE(notes.size(), row.least);
    EXPECT_LE(notes.size(), row.most);
    for (const std::string& note : notes) EXPECT_NE(note.find("EIO"), std::string::npos) << note;
    EXPECT_GE(calls, 2) << "others were in flight";
  }
}

TEST_F(DrainingTest, WhatTheThreadsCopyIsCountedAsCopying_IO40) {
  constexpr std::int64_t kBytes = 32 * kMiB;
  add_warm_file(kBytes);
  for (const std::int64_t threads : {1, 2}) {
    settings_.threads = threads;
    auto engine = Engine::make(settings_, opener_, ledger_);
    ASSERT_TRUE(engine.ok());
    const Pages target(kBytes, "auto", 0);
    ListSource source({{0, 0, target.bytes()}});
    const double started = steady_seconds();
    ASSERT_TRUE((*engine)->run(files_, source, {}).ok());
    const double took = steady_seconds() - started;
    const LoadStats stats = (*engine)->take_stats();
    if (stats.requests > 0) GTEST_SKIP() << "the pages are not resident here";
    EXPECT_GT(stats.seconds_by_step.at("copy"), 0);
    // One thread does one thing after another.
    if (threads == 1) {
      EXPECT_LE(stats.seconds_by_step.at("copy") + stats.seconds_by_step.at("wait"), took);
    }
  }
}

}  // namespace
}  // namespace loadstone::io
