#include "io/engine.hpp"

#include "engine_support.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

namespace loadstone::io {
namespace {

using test::Landing;
using test::ListSource;
using test::TempDir;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

class EngineTest : public testing::Test {
 protected:
  void SetUp() override { descriptors_ = test::open_descriptors(); }
  void TearDown() override {
    engine_.reset();
    EXPECT_EQ(ledger_.held_bytes(), 0) << "ledger bytes leak";
    EXPECT_LE(ledger_.peak_bytes(), ledger_.limit_bytes());
    EXPECT_EQ(test::open_descriptors(), descriptors_) << "descriptors leak";
  }

  std::int64_t add_file(std::int64_t bytes) {
    const auto index = static_cast<std::int64_t>(files_.size());
    const std::string path = dir_.write("shard_" + std::to_string(index), test::pattern(bytes, index));
    files_.push_back(test::input(path, index));
    return index;
  }

  Engine& make(std::unique_ptr<Backend> backend = nullptr) {
    auto made = Engine::make(settings_, opener_, ledger_, std::move(backend));
    EXPECT_TRUE(made.ok());
    engine_ = std::move(*made);
    return *engine_;
  }

  std::unique_ptr<Backend> posix() { return make_backend("posix", 64, nullptr).value(); }

  /// Reads one range of file 0 and checks it.
  Status read_range(std::int64_t offset, std::int64_t bytes, std::int64_t skew = 0) {
    Landing landing(bytes + 64, skew);
    ListSource source({{0, offset, landing.at(0, bytes)}});
    Status status = engine_->run(files_, source, interrupt_);
    if (status.ok()) {
      EXPECT_TRUE(source.each_done_once());
      EXPECT_TRUE(test::holds(landing.at(0, bytes), offset)) << offset << " + " << bytes;
      EXPECT_TRUE(test::is_poison(landing.at(bytes, 64))) << "nothing is written beyond";
    }
    return status;
  }

  TempDir dir_;
  Opener opener_;
  Ledger ledger_{256 * kMiB};
  EngineSettings settings_;
  Interrupt interrupt_;
  std::vector<InputFile> files_;
  std::unique_ptr<Engine> engine_;
  std::int64_t descriptors_ = 0;
};

TEST_F(EngineTest, ReadsRangesOfManyFiles) {
  for (const char* backend : {"posix", "auto"}) {
    settings_.backend = backend;
    files_.clear();
    Landing landing(40 * 1000);
    std::vector<Read> reads;
    for (std::int64_t f = 0; f < 40; ++f) {
      add_file(5000 + f);
      reads.push_back({f, 17 * f, landing.at(f * 1000, 1000)});
    }
    ListSource source(reads);
    Engine& engine = make();
    ASSERT_TRUE(engine.run(files_, source, interrupt_).ok());
    EXPECT_TRUE(source.each_done_once());
    for (std::int64_t f = 0; f < 40; ++f) EXPECT_TRUE(test::holds(landing.at(f * 1000, 1000), 17 * f, f));
    const LoadStats stats = engine.take_stats();
    EXPECT_EQ(stats.bytes_wanted, 40'000);
    EXPECT_EQ(stats.bytes_in_place + stats.bytes_staged, 40'000);
    std::int64_t sum = 0;
    for (const auto& [way, bytes] : stats.bytes_by_way) sum += bytes;
    EXPECT_EQ(stats.bytes_read, sum) << "IO-40";
    EXPECT_EQ(engine.take_stats().bytes_wanted, 0) << "counts start anew";
  }
}

TEST_F(EngineTest, EmptyRunsAndEmptyReads) {
  add_file(100);
  make();
  ListSource nothing({});
  EXPECT_TRUE(engine_->run(files_, nothing, interrupt_).ok());
  ListSource empty({{0, 50, {}}, {0, 4096, {}}});
  EXPECT_TRUE(engine_->run(files_, empty, interrupt_).ok());
  EXPECT_TRUE(empty.each_done_once());
}

TEST_F(EngineTest, SplitsLongReads_T32) {
  add_file(1 * kMiB + 777);
  settings_.request_bytes = 64 * kKiB;
  settings_.direct = "off";
  settings_.mapped = "off";
  make();
  EXPECT_TRUE(read_range(3, kMiB + 700).ok());
  const LoadStats stats = engine_->take_stats();
  EXPECT_GE(stats.requests, 16);
  EXPECT_EQ(stats.bytes_read, kMiB + 700);
}

TEST_F(EngineTest, JoinsTinyReadsThatTouch) {
  add_file(256 * kKiB);
  test::CountingBackend::Counts counts;
  make(std::make_unique<test::CountingBackend>(posix(), counts));
  constexpr std::int64_t kRun = 64;
  Landing landing(1024 * 100);
  std::vector<Read> reads;
  for (std::int64_t i = 0; i < 1024; ++i) reads.push_back({0, i * kRun, landing.at(i * 100, kRun)});
  ListSource source(reads);
  ASSERT_TRUE(engine_->run(files_, source, interrupt_).ok());
  for (std::int64_t i = 0; i < 1024; ++i) {
    ASSERT_TRUE(test::holds(landing.at(i * 100, kRun), i * kRun)) << i;
    ASSERT_TRUE(test::is_poison(landing.at(i * 100 + kRun, 36))) << i;
  }
  EXPECT_LE(counts.requests, 1024 / 64 + 2);
  EXPECT_EQ(counts.requests, counts.completions);
}

TEST_F(EngineTest, TenThousandRangesOfAFileAreFewRequestsAndOneOpen) {
  constexpr std::int64_t kRanges = 10'000;
  constexpr std::int64_t kRange = 1009;
  add_file(kRanges * kRange + 11);
  settings_.direct = "off";
  settings_.mapped = "off";
  settings_.request_bytes = kMiB;
  make();
  Landing landing(2 * kRanges * kRange);
  for (const std::int64_t apart : {kRange, kRange + 5}) {
    std::vector<Read> reads;
    for (std::int64_t i = 0; i < kRanges; ++i) reads.push_back({0, 11 + i * kRange, landing.at(i * apart, kRange)});
    ListSource source(reads);
    ASSERT_TRUE(engine_->run(files_, source, interrupt_).ok());
    for (const Read& read : reads) ASSERT_TRUE(test::holds(read.destination, read.offset));
    const LoadStats stats = engine_->take_stats();
    EXPECT_EQ(stats.opens, 1);
    EXPECT_EQ(stats.bytes_read, kRanges * kRange);
    // Scattered in memory, a request holds as many as the kernel takes destinations.
    EXPECT_LE(stats.requests, apart == kRange ? kRanges * kRange / kMiB + 4 : kRanges / 400 + 4);
  }
}

TEST_F(EngineTest, ObeysADepthOfOne) {
  add_file(kMiB);
  settings_.depth = 1;
  settings_.request_bytes = 64 * kKiB;
  make();
  EXPECT_TRUE(read_range(0, kMiB).ok());
}

TEST_F(EngineTest, ASourceMayAskToWait) {
  add_file(kMiB);
  make();
  Landing landing(kMiB);
  std::vector<Read> reads;
  for (std::int64_t i = 0; i < 64; ++i)
    reads.push_back({0, i * 16 * kKiB, landing.at(i * 16 * kKiB, 16 * kKiB), 0, true});
  ListSource source(reads, 3);
  ASSERT_TRUE(engine_->run(files_, source, interrupt_).ok());
  EXPECT_TRUE(source.each_done_once());
  EXPECT_TRUE(test::holds(landing.at(0, kMiB), 0));
  EXPECT_EQ(engine_->take_stats().bytes_staged, kMiB);
}

TEST_F(EngineTest, ShortReadsInterruptionsAndAnyOrderGiveTheSameBytes_T18) {
  SCOPED_TRACE(test::seed_note());
  for (std::uint64_t round = 0; round < 30; ++round) {
    files_.clear();
    add_file(300'000);
    auto backend = std::make_unique<test::ShortReadingBackend>(posix(), test::seed() + round);
    auto interrupting = std::make_unique<test::InterruptingBackend>(std::move(backend), test::seed() + round);
    make(std::make_unique<test::ReorderingBackend>(std::move(interrupting), round));
    ASSERT_TRUE(read_range(static_cast<std::int64_t>(round * 101), 250'000).ok());
    const LoadStats stats = engine_->take_stats();
    EXPECT_EQ(stats.bytes_in_place, 250'000);
  }
}

TEST_F(EngineTest, AFileThatEndsEarlyIsTruncated_C055) {
  add_file(1000);
  make();
  const Status status = read_range(900, 200);
  ASSERT_FALSE(status.ok());
  const Fault& fault = status.failure().first();
  EXPECT_EQ(fault.code, Code::truncated);
  EXPECT_EQ(fault.kind, "shard.truncated");
  EXPECT_EQ(fault.wanted, Value(std::int64_t{1100}));
  EXPECT_EQ(fault.got, Value(std::int64_t{1000}));
  EXPECT_EQ(fault.shard, 0);
}

TEST_F(EngineTest, AChangedFileIsTold_IO6) {
  struct Row {
    const char* what;
    std::function<void(const std::string&)> change;
  };
  const Row rows[] = {
      {"rewritten", [](const std::string& p) { std::ofstream(p, std::ios::binary) << std::string(300'000, 'x'); }},
      {"cut", [](const std::string& p) { std::filesystem::resize_file(p, 10); }},
      {"grown", [](const std::string& p) { std::filesystem::resize_file(p, 400'000); }},
      {"touched", [](const std::string& p) { ASSERT_EQ(::utimensat(AT_FDCWD, p.c_str(), nullptr, 0), 0); }},
      {"mode changed", [](const std::string& p) { ASSERT_EQ(::chmod(p.c_str(), 0640), 0); }},
      {"replaced", [](const std::string& p) {
         std::filesystem::copy_file(p, p + ".new");
         std::filesystem::rename(p + ".new", p);
       }}};
  for (const Row& row : rows) {
    for (const std::int64_t at_call : {std::int64_t{0}, std::int64_t{2}}) {
      files_.clear();
      const std::string path = files_[static_cast<std::size_t>(add_file(300'000))].name.name;
      settings_.request_bytes = 64 * kKiB;
      settings_.mapped = "off";
      make(std::make_unique<test::ChangingBackend>(posix(), at_call, [&] { row.change(path); }));
      const Status status = read_range(0, 300'000);
      ASSERT_FALSE(status.ok()) << row.what << " at call " << at_call;
      EXPECT_EQ(status.code(), Code::changed) << row.what;
      EXPECT_EQ(status.failure().first().shard, 0);
    }
  }
}

TEST_F(EngineTest, ASourceMayCompareAFileWhileItIsRead) {
  add_file(1000);
  Engine& engine = make();
  EXPECT_TRUE(engine.check_file(0).ok()) << "nothing is open between runs";
  Landing landing(1000);
  ListSource source({{0, 0, landing.at(0, 1000)}});
  source.on_done = [&](const Read&) {
    EXPECT_TRUE(engine.check_file(0).ok());
    std::filesystem::resize_file(files_[0].name.name, 10);
    Status changed = engine.check_file(0);
    EXPECT_FALSE(changed.ok());
    return changed;
  };
  EXPECT_EQ(engine.run(files_, source, interrupt_).code(), Code::changed);
  EXPECT_TRUE(engine.check_file(0).ok());
}

TEST_F(EngineTest, AChangeBeforeOpeningIsTold) {
  add_file(1000);
  dir_.write("shard_0", test::pattern(999));
  make();
  EXPECT_EQ(read_range(0, 100).code(), Code::changed);
}

TEST_F(EngineTest, CtimeIsLeftOutByOption_IO6) {
  add_file(1000);
  ASSERT_EQ(::chmod(files_[0].name.name.c_str(), 0640), 0);
  settings_.identity = IdentityRule::size_mtime;
  make();
  EXPECT_TRUE(read_range(0, 100).ok());
}

TEST_F(EngineTest, FiveThousandFilesUnderALimitOf32_IO7_C065) {
  constexpr std::int64_t kFiles = 5000;
  settings_.direct = "off";  // a file whose page has gone meanwhile would be opened twice
  for (std::int64_t i = 0; i < kFiles; ++i) add_file(100);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = 32;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  Landing landing(kFiles * 10);
  std::vector<Read> reads;
  for (std::int64_t i = 0; i < kFiles; ++i) reads.push_back({i, i % 90, landing.at(i * 10, 10)});
  ListSource source(reads);
  Engine& engine = make();
  const Status status = engine.run(files_, source, interrupt_);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(status.ok()) << describe(status.failure());
  for (std::int64_t i = 0; i < kFiles; ++i) ASSERT_TRUE(test::holds(landing.at(i * 10, 10), i % 90, i));
  EXPECT_EQ(engine.take_stats().opens, kFiles);
}

TEST_F(EngineTest, FewerDescriptorsThanTheLimitSaysWillDo_IO7) {
  for (std::int64_t i = 0; i < 40; ++i) add_file(100);
  settings_.open_files = 64;
  Engine& engine = make();
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = static_cast<rlim_t>(test::open_descriptors()) + 4;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  Landing landing(400);
  std::vector<Read> reads;
  for (std::int64_t i = 0; i < 40; ++i) reads.push_back({i, 0, landing.at(i * 10, 10)});
  ListSource source(reads);
  const Status status = engine.run(files_, source, interrupt_);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(status.ok()) << describe(status.failure());
}

TEST_F(EngineTest, AnErrorNamesPlaceAndWay_IO34) {
  add_file(300'000);
  settings_.request_bytes = 64 * kKiB;
  settings_.direct = "off";
  settings_.mapped = "off";
  settings_.backend = "posix";
  std::int64_t calls = 0;
  make(std::make_unique<test::FailingBackend>(posix(), 2, EIO, false, calls));
  const Status status = read_range(0, 300'000);
  ASSERT_FALSE(status.ok());
  const Fault& fault = status.failure().first();
  EXPECT_EQ(fault.code, Code::io);
  EXPECT_EQ(fault.system_errno, EIO);
  EXPECT_EQ(fault.offset, 128 * kKiB);
  EXPECT_EQ(fault.bytes, 64 * kKiB);
  EXPECT_EQ(fault.message, "reading 65536 bytes at 131072: EIO (buffered, posix, try 1 of 1)");
}

TEST_F(EngineTest, RetriesByOption) {
  add_file(300'000);
  settings_.retries = 2;
  settings_.direct = "off";
  std::int64_t calls = 0;
  make(std::make_unique<test::FailingBackend>(posix(), 0, EIO, false, calls));
  EXPECT_TRUE(read_range(0, 300'000).ok());
  EXPECT_EQ(engine_->take_stats().retries, 1);
  make(std::make_unique<test::FailingBackend>(posix(), 0, EIO, true, calls = 0));
  const Status status = read_range(0, 1000);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.failure().first().message.find("try 3 of 3"), std::string::npos);
}

TEST_F(EngineTest, StaleHandlesAreOpenedOnceMore_T16) {
  add_file(300'000);
  std::int64_t calls = 0;
  make(std::make_unique<test::FailingBackend>(posix(), 0, ESTALE, false, calls));
  EXPECT_TRUE(read_range(0, 300'000).ok());
  make(std::make_unique<test::FailingBackend>(posix(), 0, ESTALE, true, calls = 0));
  EXPECT_EQ(read_range(0, 300'000).code(), Code::io);
}

TEST_F(EngineTest, RefusedDirectReadsAreBufferedFromThenOn_C064) {
  add_file(4 * kMiB);
  settings_.direct = "on";
  settings_.mapped = "off";
  std::int64_t calls = 0;
  test::CountingBackend::Counts counts;
  auto failing = std::make_unique<test::FailingBackend>(posix(), 0, EINVAL, false, calls);
  make(std::make_unique<test::CountingBackend>(std::move(failing), counts));
  settings_.depth = 1;
  EXPECT_TRUE(read_range(0, 4 * kMiB).ok());
  const LoadStats stats = engine_->take_stats();
  EXPECT_EQ(stats.fallbacks.size(), 1U);
  EXPECT_GT(stats.bytes_by_way.at("buffered"), 0);
}

TEST_F(EngineTest, RequiredDirectIsAnErrorWhenRefused_IO9) {
  add_file(4 * kMiB);
  settings_.direct = "require";
  std::int64_t calls = 0;
  make(std::make_unique<test::FailingBackend>(posix(), 0, EINVAL, true, calls));
  EXPECT_EQ(read_range(0, 4 * kMiB).code(), Code::io);
}

TEST_F(EngineTest, AgainAndAgainEndsAtTheDeadline) {
  add_file(1000);
  interrupt_.deadline_s = 0.05;
  std::int64_t calls = 0;
  make(std::make_unique<test::FailingBackend>(posix(), 0, EAGAIN, true, calls));
  EXPECT_EQ(read_range(0, 1000).code(), Code::deadline);
  EXPECT_LT(calls, 100) << "with growing pauses";
}

TEST_F(EngineTest, NoMemoryInTheRingHalvesTheDepth) {
  add_file(kMiB);
  settings_.request_bytes = 64 * kKiB;
  settings_.direct = "off";
  std::int64_t calls = 0;
  make(std::make_unique<test::FailingBackend>(posix(), 3, ENOMEM, false, calls));
  EXPECT_TRUE(read_range(0, kMiB).ok());
  make(std::make_unique<test::FailingBackend>(posix(), 3, ENOMEM, true, calls = 0));
  EXPECT_EQ(read_range(0, kMiB).code(), Code::io);
}

TEST_F(EngineTest, TheDeadlineNamesWhatIsMissing_IO37) {
  add_file(300'000);
  test::FakeClock clock;
  interrupt_.clock = clock.clock();
  interrupt_.deadline_s = 7;
  test::GatedBackend::Gate gate;
  gate.clock = &clock;
  gate.on_wait = [&] { gate.open = clock.now() > 7.5; };  // comes home while draining
  make(std::make_unique<test::GatedBackend>(posix(), gate));
  const Status status = read_range(100, 1000);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), Code::deadline);
  EXPECT_EQ(status.failure().first().path, files_[0].name.name);
  EXPECT_EQ(status.failure().first().offset, 100);
  EXPECT_GE(clock.now(), 7);
  EXPECT_LT(clock.now(), 10);
}

TEST_F(EngineTest, SlowIsNotLate_IO37) {
  add_file(300'000);
  test::FakeClock clock;
  interrupt_.clock = clock.clock();
  interrupt_.deadline_s = 7;
  settings_.request_bytes = 64 * kKiB;
  make(std::make_unique<test::SlowBackend>(posix(), clock, 3.0, 20'000));
  EXPECT_TRUE(read_range(0, 300'000).ok());
  EXPECT_GT(clock.now(), 15) << "longer than the deadline in all, never without a byte for so long";
}

TEST_F(EngineTest, PollsWhileWaiting) {
  add_file(1000);
  test::FakeClock clock;
  interrupt_.clock = clock.clock();
  test::GatedBackend::Gate gate;
  gate.clock = &clock;
  gate.on_wait = [&] { gate.open = clock.now() > 1; };
  make(std::make_unique<test::GatedBackend>(posix(), gate));
  Landing landing(100);
  ListSource source({{0, 0, landing.at(0, 100)}});
  ASSERT_TRUE(engine_->run(files_, source, interrupt_).ok());
  EXPECT_GE(source.polls, 20) << "at least every 50 ms";
}

TEST_F(EngineTest, AFailedPollOrDoneStopsTheRun) {
  add_file(kMiB);
  make();
  Landing landing(kMiB);
  Fault stop;
  stop.code = Code::cancelled;
  stop.kind = "peer";
  ListSource polled({{0, 0, landing.at(0, kMiB)}});
  polled.on_poll = [&]() -> Status { return stop; };
  EXPECT_EQ(engine_->run(files_, polled, interrupt_).code(), Code::cancelled);
  std::vector<Read> reads;
  for (std::int64_t i = 0; i < 16; ++i) reads.push_back({0, i * 64 * kKiB, landing.at(i * 64 * kKiB, 64 * kKiB)});
  ListSource done(reads);
  done.on_done = [&](const Read&) -> Status { return stop; };
  EXPECT_EQ(engine_->run(files_, done, interrupt_).code(), Code::cancelled);
  EXPECT_EQ(done.done_count(), 1U);
  EXPECT_TRUE(read_range(0, kMiB).ok()) << "the engine can be used again";
}

TEST_F(EngineTest, StopsAtAnyRequest_IO38_C112) {
  for (const char* backend : {"posix", "uring"}) {
    if (!test::is_usable(backend)) continue;
    files_.clear();
    add_file(kMiB);
    for (std::int64_t k = 0; k < 16; ++k) {
      std::stop_source stop;
      interrupt_.stop = stop.get_token();
      settings_.request_bytes = 64 * kKiB;
      settings_.depth = 4;
      make(std::make_unique<test::ChangingBackend>(make_backend(backend, 8, nullptr).value(), k,
                                                   [&] { stop.request_stop(); }));
      Landing landing(kMiB);
      std::vector<Read> reads;
      for (std::int64_t i = 0; i < 16; ++i) reads.push_back({0, i * 64 * kKiB, landing.at(i * 64 * kKiB, 64 * kKiB)});
      ListSource source(reads, 4);
      const double started = steady_seconds();
      const Status status = engine_->run(files_, source, interrupt_);
      EXPECT_LT(steady_seconds() - started, 1);
      if (!status.ok()) {
        EXPECT_EQ(status.code(), Code::cancelled);
      }
      EXPECT_TRUE(!status.ok() || source.each_done_once());
      engine_.reset();
      EXPECT_EQ(ledger_.held_bytes(), 0);
    }
    interrupt_.stop = {};
  }
}

TEST_F(EngineTest, AThrowingSourceLeavesNothingBehind) {
  add_file(kMiB);
  settings_.request_bytes = 64 * kKiB;
  make();
  Landing landing(kMiB);
  std::vector<Read> reads;
  for (std::int64_t i = 0; i < 16; ++i) reads.push_back({0, i * 64 * kKiB, landing.at(i * 64 * kKiB, 64 * kKiB)});
  ListSource source(reads);
  source.on_done = [](const Read&) -> Status { throw std::bad_alloc(); };
  EXPECT_THROW((void)engine_->run(files_, source, interrupt_), std::bad_alloc);
  EXPECT_TRUE(read_range(0, kMiB).ok());
}

TEST_F(EngineTest, LostRequestsAreNotForgotten_IO39) {
  add_file(kMiB);
  test::FakeClock clock;
  interrupt_.clock = clock.clock();
  interrupt_.deadline_s = 3;
  test::GatedBackend::Gate gate;
  gate.clock = &clock;
  test::CountingBackend::Counts counts;
  make(std::make_unique<test::CountingBackend>(std::make_unique<test::GatedBackend>(posix(), gate), counts));
  Landing landing(kMiB);
  ListSource source({{0, 0, landing.at(0, kMiB)}});
  const Status status = engine_->run(files_, source, interrupt_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), Code::deadline);
  EXPECT_TRUE(counts.slots.empty()) << "descriptors that are kept for the request are detached, too";
  EXPECT_EQ(counts.detached, counts.attached);
  ASSERT_FALSE(status.failure().notes.empty());
  EXPECT_NE(status.failure().notes[0].find("still in use"), std::string::npos);
  EXPECT_TRUE(engine_->has_lost_requests());
  EXPECT_EQ(read_range(0, 10).code(), Code::io) << "the engine is not used again";
  gate.open = true;
  engine_.reset();  // the request comes home before its destination goes
}

TEST_F(EngineTest, BlocksOfLostRequestsComeHomeBeforeTheirPool_IO39) {
  add_file(kMiB);
  test::drop_from_cache(files_[0].name.name);
  settings_.direct = "on";
  test::FakeClock clock;
  interrupt_.clock = clock.clock();
  interrupt_.deadline_s = 3;
  test::GatedBackend::Gate gate;
  gate.clock = &clock;
  make(std::make_unique<test::GatedBackend>(posix(), gate));
  Landing landing(kMiB, 7);  // staged
  ListSource source({{0, 0, landing.at(0, kMiB)}});
  EXPECT_EQ(engine_->run(files_, source, interrupt_).code(), Code::deadline);
  EXPECT_TRUE(engine_->has_lost_requests());
  gate.open = true;
  engine_.reset();
}

/// The most memory that this process has had since reset_peak_memory(), in bytes; 0 if it is not told.
std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

TEST_F(EngineTest, OneRowOfAHugeSparseFile_IO36) {
  const std::string path = dir_.write("sparse", "");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  files_.push_back(test::input(path));
  make();
  std::vector<std::byte> row(100'000, test::kPoison);
  ListSource source({{0, (std::int64_t{1} << 40) - 200'000, row}});
  reset_peak_memory();
  const std::int64_t before = peak_memory();
  const double started = steady_seconds();
  ASSERT_TRUE(engine_->run(files_, source, interrupt_).ok());
  EXPECT_LT(steady_seconds() - started, 1);
  EXPECT_LE(peak_memory() - before, 64 * kMiB);
  EXPECT_TRUE(std::all_of(row.begin(), row.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(EngineTest, WrongSettingsAreRefused) {
  settings_.backend = "usb";
  EXPECT_EQ(Engine::make(settings_, opener_, ledger_).status().code(), Code::bad_argument);
  settings_.backend = "mmap";
  EXPECT_EQ(Engine::make(settings_, opener_, ledger_).status().code(), Code::bad_argument);
  settings_.backend = "posix";
  settings_.fs_class = "/data=fast";
  EXPECT_EQ(Engine::make(settings_, opener_, ledger_).status().code(), Code::bad_argument);
}

}  // namespace
}  // namespace loadstone::io
