// Where the system has no thread left (EAGAIN, a limit of processes) work goes on with those that there are.
#include "core/pages.hpp"
#include "engine_support.hpp"
#include "io/backend_makers.hpp"
#include "io/copiers.hpp"
#include "io/prefault.hpp"
#include "io/residency.hpp"
#include "support/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <thread>

namespace loadstone::io {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

bool can_start_a_thread() {
  try {
    std::jthread([] {}).join();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

class NoThreads : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::may_become_nobody()) GTEST_SKIP() << "root is bound by no limit of processes, and only root can change";
    const auto allowed = [] { return test::give_up_threads() && !can_start_a_thread(); };
    if (!test::holds_in_child(allowed)) GTEST_SKIP() << "threads cannot be forbidden here";
    EXPECT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
    path_ = dir_.write("f", test::pattern(kBytes));
    test::drop_from_cache(path_);
    std::ifstream(path_, std::ios::binary).ignore(kBytes);
    file_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  }

  static constexpr std::int64_t kBytes = 8 * kMiB;
  test::TempDir dir_{"."};
  std::string path_;
  Descriptor file_;
};

TEST_F(NoThreads, TheCallerMakesTheCopies) {
  EXPECT_TRUE(test::holds_in_child([&] {
    if (!test::give_up_threads()) return false;
    Ledger ledger(kMiB);
    Copiers copiers(ledger, 4);
    std::vector<std::byte> target(3000);
    const iovec piece = {target.data(), target.size()};
    for (std::uint64_t tag = 0; tag < 3; ++tag) copiers.add({tag, Way::buffered, file_.get(), 5, {&piece, 1}, {}, {}});
    int helped = 0;
    while (copiers.help()) ++helped;
    std::vector<Copiers::Done> done;
    copiers.collect(done, 0);
    return helped == 3 && done.size() == 3 && done[0].copied && test::holds(target, 5);
  }));
}

TEST_F(NoThreads, NothingIsPopulatedAhead) {
  EXPECT_TRUE(test::holds_in_child([] {
    if (!test::give_up_threads()) return false;
    const Pages pages(4 * kMiB, "off", 0);
    Prefaulter prefaulter;
    prefaulter.populate(pages.bytes());
    prefaulter.populate(pages.bytes());
    prefaulter.stop_and_wait();
    return !pages_are_present(pages.bytes());
  }));
}

TEST_F(NoThreads, WhoeverWaitsForAPosixRequestCarriesItOut) {
  EXPECT_TRUE(test::holds_in_child([&] {
    if (!test::give_up_threads()) return false;
    const auto backend = make_posix(8);
    std::vector<std::byte> target(4 * kMiB);
    std::array<iovec, 4> pieces;
    std::array<Request, 4> batch;
    for (std::size_t i = 0; i < 4; ++i) {
      pieces[i] = {target.data() + i * kMiB, kMiB};
      batch[i] = {
          .tag = i, .slot = file_.get(), .offset = static_cast<std::int64_t>(i) * kMiB, .iovecs = {&pieces[i], 1}};
    }
    if (backend->submit(batch) != 4) return false;
    backend->cancel(3);
    std::size_t came = 0;
    while (came < 4) came += backend->wait(1, {}).size();
    const bool three = test::holds(std::span(target).first(3 * kMiB), 0);
    return three && backend->submit({batch.data(), 1}) == 1 && backend->close({}).empty();
  }));
}

TEST_F(NoThreads, AFileIsLoaded) {
  const std::vector<InputFile> files = {test::input(path_)};
  for (const char* direct : {"off", "on"}) {
    EXPECT_TRUE(test::holds_in_child([&] {
      if (!test::give_up_threads()) return false;
      const Opener opener;
      Ledger ledger(64 * kMiB);
      EngineSettings settings;
      settings.direct = direct;
      settings.threads = 4;
      auto engine = Engine::make(settings, opener, ledger, make_posix(64));
      const Pages target(kBytes, "auto", 0);
      std::ranges::fill(target.bytes(), test::kPoison);  // present, so that copies are made
      test::ListSource source({{0, 0, target.bytes()}});
      Interrupt interrupt;
      interrupt.deadline_s = 20;
      const Status status = (*engine)->run(files, source, interrupt);
      if (!status.ok()) std::fprintf(stderr, "%s\n", describe(status.failure()).c_str());
      return status.ok() && test::holds(target.bytes(), 0);
    })) << "direct="
        << direct;
  }
}

// io_uring hands large buffered reads to threads of the kernel's, which count against the limit of processes.
TEST(NoKernelThreads, WhatComesBackIsReadByAThreadOfOurs) {
  constexpr std::int64_t kBytes = 4 * kMiB + 5;
  const test::TempDir dir(".");
  const std::vector<InputFile> files = {test::input(dir.write("f", test::pattern(kBytes)))};
  const Opener opener;
  EngineSettings settings;
  settings.direct = "off";
  settings.mapped = "off";
  for (const bool for_ever : {false, true}) {
    std::int64_t calls = 0;
    Ledger ledger(64 * kMiB);
    auto backend = std::make_unique<test::FailingBackend>(make_posix(8), 1, ECANCELED, for_ever, calls);
    auto engine = Engine::make(settings, opener, ledger, std::move(backend));
    ASSERT_TRUE(engine.ok());
    std::vector<std::byte> target(kBytes);
    test::ListSource source({{0, 0, target}});
    const Status status = (*engine)->run(files, source, {});
    ASSERT_TRUE(status.ok()) << describe(status.failure());
    EXPECT_TRUE(source.each_done_once());
    EXPECT_TRUE(test::holds(target, 0));
    const LoadStats stats = (*engine)->take_stats();
    EXPECT_EQ(stats.bytes_read, kBytes);
    EXPECT_EQ(stats.fallbacks.size(), 1U);
  }
}

}  // namespace
}  // namespace loadstone::io
