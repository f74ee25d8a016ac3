// What is in flight when a run fails or is stopped: it comes home at once, and says what it saw.
#include "core/pages.hpp"
#include "engine_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <utility>
#include <vector>

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
  constexpr std::int64_t kRequest = 64 * kKiB;
  add_warm_file(40 * kRequest);
  settings_.request_bytes = kRequest;
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
    Landing landing(40 * kRequest);
    ListSource source({{0, 0, landing.at(0, 40 * kRequest)}});
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

std::int64_t threads_of_this_process() {
  const std::filesystem::directory_iterator entries("/proc/self/task");
  return std::distance(begin(entries), end(entries));
}

/// Threads that have done their work take a moment to be gone.
bool comes_down_to(std::int64_t threads) {
  const double started = steady_seconds();
  while (threads_of_this_process() > threads && steady_seconds() - started < 5) std::this_thread::yield();
  return threads_of_this_process() <= threads;
}

TEST_F(DrainingTest, StopsAtAnyRequestOfTheUsualDepthAndLeavesNothing_IO38_C112) {
  constexpr std::int64_t kBytes = 6 * kMiB + 5;
  constexpr std::int64_t kPiece = 64 * kKiB;
  add_warm_file(kBytes);
  settings_.request_bytes = kPiece;
  std::int64_t stopped = 0;
  for (const char* backend : {"posix", "uring"}) {
    for (const char* direct : {"on", "off"}) {
      if (!test::is_usable(backend)) continue;
      settings_.direct = direct;
      for (std::int64_t k = 0, calls = 1; k < calls; ++k) {
        const std::int64_t threads = threads_of_this_process();
        const std::int64_t descriptors = test::open_descriptors();
        std::stop_source stop;
        Interrupt interrupt;
        interrupt.stop = stop.get_token();
        Landing landing(kBytes, 64);
        std::vector<Read> reads;
        for (std::int64_t at = 0; at < kBytes; at += kMiB) {
          reads.push_back({0, at, landing.at(at, std::min(kMiB, kBytes - at))});
        }
        ListSource source(reads);
        calls = 0;
        auto counting =
            std::make_unique<test::FailingBackend>(make_backend(backend, 64, nullptr).value(), -1, 0, false, calls);
        auto engine =
            Engine::make(settings_, opener_, ledger_,
                         std::make_unique<test::ChangingBackend>(std::move(counting), k, [&] { stop.request_stop(); }));
        const double started = steady_seconds();
        const Status status = (*engine)->run(files_, source, interrupt);
        EXPECT_LT(steady_seconds() - started, 1);
        EXPECT_TRUE(status.ok() ? source.each_done_once() : status.code() == Code::cancelled);
        stopped += status.ok() ? 0 : 1;
        EXPECT_FALSE((*engine)->has_lost_requests());
        engine->reset();
        EXPECT_EQ(ledger_.held_bytes(), 0);
        EXPECT_EQ(test::open_descriptors(), descriptors);
        ASSERT_TRUE(comes_down_to(threads)) << backend << " stopped at request " << k;
      }
    }
  }
  EXPECT_GT(stopped, 50);
}

/// Keeps the slots of requests in the order of submission.
class OrderBackend final : public test::BackendDouble {
 public:
  OrderBackend(std::unique_ptr<Backend> inner, std::vector<std::pair<int, std::int64_t>>& order)
      : BackendDouble(std::move(inner)), order_(order) {}

 protected:
  int forward(const Request& request) override {
    const int taken = BackendDouble::forward(request);
    if (taken == 1) order_.emplace_back(request.slot, request.offset);
    return taken;
  }

 private:
  std::vector<std::pair<int, std::int64_t>>& order_;
};

TEST_F(DrainingTest, NoFileWaitsForMoreThanADepthOfAnother_IO25) {
  constexpr std::int64_t kPiece = 64 * kKiB;
  constexpr std::int64_t kPieces = 60;
  std::vector<Read> reads;
  Landing landing(2 * kPieces * kPiece);
  for (std::int64_t f = 0; f < 2; ++f) {
    files_.push_back(test::input(dir_.write("g" + std::to_string(f), test::pattern(kPieces * kPiece, f)), f));
  }
  constexpr std::int64_t kTurn = 6;
  for (std::int64_t i = 0; i < 2 * kPieces / kTurn; ++i) {
    const std::int64_t at = i / 2 * kTurn * kPiece;
    reads.push_back({i % 2, at, landing.at((i % 2 * kPieces * kPiece) + at, kTurn * kPiece)});
  }
  settings_.request_bytes = kPiece;
  settings_.mapped = settings_.direct = "off";
  settings_.depth = 8;
  std::vector<std::pair<int, std::int64_t>> order;
  auto ordered = std::make_unique<OrderBackend>(make_backend("posix", 64, nullptr).value(), order);
  auto engine = Engine::make(settings_, opener_, ledger_,
                             std::make_unique<test::ReorderingBackend>(std::move(ordered), test::seed()));
  ListSource source(reads);
  ASSERT_TRUE((*engine)->run(files_, source, {}).ok());
  ASSERT_EQ(std::ssize(order), 2 * kPieces);
  std::map<int, std::int64_t> next;
  std::int64_t together = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [slot, offset] = order[i];
    together = i > 0 && slot == order[i - 1].first ? together + 1 : 1;
    EXPECT_LE(together, settings_.depth) << "requests of one file while the other waits";
    EXPECT_EQ(offset, next[slot]) << "in file-offset order";
    next[slot] = offset + kPiece;
  }
}

}  // namespace
}  // namespace loadstone::io
