// Direct reads stay direct where that is required, and every fallback is told where it is not.
#include "engine_support.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <map>
#include <random>

namespace loadstone::io {
namespace {

using test::Landing;
using test::ListSource;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

// The checker asks the kernel through pipes whether memory may be looked at: it fails where no descriptor is left.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCheckerTakesDescriptors = true;
#elif defined(__has_feature)
constexpr bool kCheckerTakesDescriptors = __has_feature(undefined_behavior_sanitizer);
#else
constexpr bool kCheckerTakesDescriptors = false;
#endif

/// Says of direct reads that fewer bytes came than did.
class ShortDirectBackend final : public test::BackendDouble {
 public:
  /// @param most  bytes that a read may bring; any number up to that
  ShortDirectBackend(std::unique_ptr<Backend> inner, std::int64_t most)
      : BackendDouble(std::move(inner)), most_(most), random_(test::seed()) {}

 protected:
  int forward(const Request& request) override {
    is_direct_[request.tag] = request.mode == Mode::direct;
    return BackendDouble::forward(request);
  }
  void arrived(Completion& completion) override {
    if (!is_direct_[completion.tag] || completion.result <= 0) return;
    completion.result = std::min(completion.result, test::pick(random_, std::min(most_, std::int64_t{4096}), most_));
  }

 private:
  std::int64_t most_;
  std::mt19937_64 random_;
  std::map<std::uint64_t, bool> is_direct_;
};

/// Limits the descriptors of the process to a few more than it has open.
class FewDescriptors {
 public:
  explicit FewDescriptors(std::int64_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit limit = before_;
    // The limit is one of numbers: those below the next free one are taken.
    const Descriptor next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    limit.rlim_cur = static_cast<rlim_t>(next.get() + more);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

class DirectTest : public testing::Test {
 protected:
  void SetUp() override {
    add_file(4096);
    const Descriptor direct(::open(files_[0].name.name.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
    if (!direct.valid()) GTEST_SKIP() << "no direct I/O here";
    files_.clear();
  }

  void add_file(std::int64_t bytes) {
    const auto index = static_cast<std::int64_t>(files_.size());
    files_.push_back(test::input(dir_.write("f" + std::to_string(index), test::pattern(bytes, index)), index));
  }

  std::unique_ptr<Backend> posix() { return make_backend("posix", 64, nullptr).value(); }

  Status load(const std::vector<Read>& reads, std::unique_ptr<Backend> backend = nullptr) {
    Ledger ledger(budget_);
    if (backend == nullptr) backend = posix();
    auto engine = Engine::make(settings_, opener_, ledger, std::move(backend));
    EXPECT_TRUE(engine.ok());
    ListSource source(reads);
    Interrupt interrupt;
    interrupt.deadline_s = 20;
    Status status = (*engine)->run(files_, source, interrupt);
    stats_ = (*engine)->take_stats();
    if (!status.ok()) return status;
    EXPECT_TRUE(source.each_done_once());
    for (const Read& read : reads) EXPECT_TRUE(test::holds(read.destination, read.offset, read.file));
    return status;
  }

  /// The whole of each file.
  Status load_all(std::unique_ptr<Backend> backend = nullptr, std::int64_t skew = 0) {
    std::int64_t bytes = 0;
    for (const InputFile& file : files_) bytes += file.identity.size + 4096;
    Landing landing(bytes, skew);
    std::vector<Read> reads;
    for (std::size_t f = 0, at = 0; f < files_.size(); ++f) {
      const std::int64_t size = files_[f].identity.size;
      reads.push_back({static_cast<std::int64_t>(f), 0, landing.at(static_cast<std::int64_t>(at), size)});
      at += static_cast<std::size_t>((size + 4095) / 4096 * 4096);
    }
    return load(reads, std::move(backend));
  }

  [[nodiscard]] bool all_direct() const {
    return stats_.bytes_by_way.size() == 1 && stats_.bytes_by_way.contains("direct");
  }

  test::TempDir dir_{"."};
  Opener opener_;
  EngineSettings settings_;
  std::int64_t budget_ = 256 * kMiB;
  std::vector<InputFile> files_;
  LoadStats stats_;
};

TEST_F(DirectTest, DescriptorsThatRunOutAreNoRefusal_IO7) {
  if (kCheckerTakesDescriptors) GTEST_SKIP() << "a checker takes descriptors itself";
  for (int i = 0; i < 6; ++i) add_file(256 * kKiB);
  settings_.open_files = 64;
  for (const std::int64_t more : {2, 3, 4, 5}) {
    SCOPED_TRACE(more);
    settings_.direct = "on";
    settings_.depth = 1;  // what is in flight keeps its descriptors
    {
      auto made = posix();
      const FewDescriptors few(more);
      ASSERT_TRUE(load_all(std::move(made)).ok());
    }
    EXPECT_TRUE(all_direct());
    EXPECT_TRUE(stats_.fallbacks.empty());
    settings_.direct = "require";
    settings_.depth = 0;  // those in flight are waited for
    {
      auto made = posix();
      const FewDescriptors few(more);
      const Status status = load_all(std::move(made));
      ASSERT_TRUE(status.ok()) << describe(status.failure());
    }
    EXPECT_TRUE(all_direct());
  }
}

TEST_F(DirectTest, WithoutASecondDescriptorThereIsAFallbackAFile) {
  if (kCheckerTakesDescriptors) GTEST_SKIP() << "a checker takes descriptors itself";
  for (int i = 0; i < 3; ++i) add_file(256 * kKiB);
  settings_.request_bytes = 64 * kKiB;
  for (const std::int64_t open_files : {1, 64}) {
    settings_.open_files = open_files;
    settings_.direct = "on";
    {
      auto made = posix();
      const FewDescriptors few(1);
      ASSERT_TRUE(load_all(std::move(made)).ok());
    }
    EXPECT_EQ(stats_.fallbacks,
              (std::map<std::string, std::int64_t>{{"direct not possible on local: no descriptor is left", 3}}));
    settings_.direct = "require";
    auto made = posix();
    const FewDescriptors few(1);
    const Status status = load_all(std::move(made));
    ASSERT_FALSE(status.ok());
    const Fault& fault = status.failure().first();
    EXPECT_EQ(fault.code, Code::io);
    EXPECT_EQ(fault.path, files_[0].name.name);
    EXPECT_EQ(fault.shard, 0);
    EXPECT_EQ(fault.system_errno, EMFILE);
    EXPECT_EQ(fault.message,
              "direct I/O was required and not possible: no descriptor is left (file system class local)");
  }
}

TEST_F(DirectTest, RequiredReachesShortRunsCloseTogether_IO9) {
  add_file(kMiB);
  Landing landing(kMiB);
  std::vector<Read> reads;
  for (std::int64_t at = 0; at < kMiB; at += 5 * kKiB) reads.push_back({0, at, landing.at(at, 100)});
  settings_.direct = "require";
  ASSERT_TRUE(load(reads).ok());
  EXPECT_TRUE(all_direct());
  settings_.direct = "on";
  ASSERT_TRUE(load(reads).ok());
  EXPECT_FALSE(all_direct());
  EXPECT_EQ(stats_.fallbacks.size(), 1U);
  EXPECT_EQ(stats_.fallbacks["direct not possible on local: short runs lie close together"], 1);
}

TEST_F(DirectTest, WithoutRoomForABlockRequiredFails_IO9) {
  add_file(kMiB + 5);
  budget_ = 64 * kKiB;
  settings_.direct = "on";
  ASSERT_TRUE(load_all(nullptr, 77).ok());
  EXPECT_EQ(
      stats_.fallbacks,
      (std::map<std::string, std::int64_t>{{"direct not possible on local: the budget has no room for a block", 1}}));
  settings_.direct = "require";
  const Status status = load_all(nullptr, 77);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), Code::budget);
  const Fault& fault = status.failure().first();
  EXPECT_NE(fault.message.find("direct I/O was required, and the budget of 65,536 bytes has no room"),
            std::string::npos);
  budget_ = std::get<std::int64_t>(fault.wanted);
  EXPECT_TRUE(load_all(nullptr, 77).ok()) << "with what it names";
}

TEST_F(DirectTest, ARefusalIsCountedOnceAFile_IO11) {
  for (int i = 0; i < 2; ++i) add_file(4 * kMiB);
  settings_.request_bytes = 64 * kKiB;
  settings_.direct = "on";
  class Refusing final : public test::BackendDouble {
   public:
    using BackendDouble::BackendDouble;

   protected:
    std::optional<std::int64_t> intercept(const Request& request) override {
      if (request.mode != Mode::direct) return std::nullopt;
      return -EINVAL;
    }
  };
  ASSERT_TRUE(load_all(std::make_unique<Refusing>(posix())).ok());
  EXPECT_EQ(stats_.fallbacks, (std::map<std::string, std::int64_t>{{"direct refused on local: EINVAL", 2}}));
  settings_.direct = "require";
  const Status status = load_all(std::make_unique<Refusing>(posix()));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.failure().first().message, "direct I/O was required and refused: EINVAL (file system class local)");
}

TEST_F(DirectTest, AShortDirectReadGoesOnDirectly_IO18) {
  SCOPED_TRACE(test::seed_note());
  add_file(5 * kMiB + 777);
  settings_.direct = "require";
  for (const std::int64_t skew : {0, 64, 512}) {  // in place, and through blocks
    ASSERT_TRUE(load_all(std::make_unique<ShortDirectBackend>(posix(), 300 * kKiB), skew).ok());
    EXPECT_TRUE(all_direct());
    EXPECT_GT(stats_.short_reads, 10);
    EXPECT_LE(stats_.bytes_read, 5 * kMiB + 777 + (stats_.requests + 1) * 4096);
  }
}

/// Batches of a stream: each in memory of its own, which lies as the file does.
TEST_F(DirectTest, BetweenReadsThatLandInPlaceOneBlockOfTheFileIsStaged) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random(test::seed());
  constexpr std::int64_t kReads = 8;
  constexpr std::int64_t kMost = 2 * kMiB;
  add_file(kReads * kMost + 8192);
  settings_.direct = "require";
  budget_ = 16 * kMiB;  // room for one block of a whole request: nothing may wait for it
  Landing landing(kReads * (kMost + 8192));
  std::vector<Read> reads;
  std::int64_t offset = test::pick(random, std::int64_t{0}, std::int64_t{8191});
  for (std::int64_t i = 0; i < kReads; ++i) {
    const std::int64_t bytes = kMost - test::pick(random, std::int64_t{0}, 300 * kKiB);
    reads.push_back({0, offset, landing.at(i * (kMost + 8192) + offset % 4096, bytes)});
    offset += bytes;
  }
  test::GatedBackend::Gate gate;
  int waits = 0;
  gate.on_wait = [&] { gate.open = ++waits == 100; };
  ASSERT_TRUE(load(reads, std::make_unique<test::GatedBackend>(posix(), gate)).ok());
  EXPECT_TRUE(all_direct());
  EXPECT_LE(stats_.bytes_staged, (kReads + 1) * (64 * kKiB + 4096)) << "ends and heads, of a block or less than 64 KiB";
  EXPECT_GE(stats_.depth, kReads * kMost * 3 / 4 / kMiB) << "all of them at once";
}

TEST_F(DirectTest, DirectReadsThatLeadNoFurtherAreAFallback) {
  add_file(kMiB);
  settings_.direct = "on";
  ASSERT_TRUE(load_all(std::make_unique<ShortDirectBackend>(posix(), 100)).ok());
  EXPECT_EQ(stats_.fallbacks,
            (std::map<std::string, std::int64_t>{{"direct not possible on local: reads come back short", 1}}));
  settings_.direct = "require";
  EXPECT_EQ(load_all(std::make_unique<ShortDirectBackend>(posix(), 100)).code(), Code::io);
}

TEST_F(DirectTest, AFileThatEndsEarlyIsTruncatedHoweverItIsRead_C055) {
  for (const std::int64_t size : {kMiB, kMiB + 5000}) {
    files_.clear();
    add_file(size);
    for (const char* direct : {"on", "require"}) {
      settings_.direct = direct;
      Landing landing(2 * kMiB, 64);
      for (const std::int64_t wanted : {size + 1, size + 200 * kKiB}) {
        EXPECT_EQ(load({{0, 0, landing.at(0, wanted)}}).code(), Code::truncated) << size << " " << wanted;
      }
    }
  }
}

TEST_F(DirectTest, OpenedOnceMoreAFileIsReadDirectlyAgain_T16) {
  add_file(4 * kMiB + 5);
  settings_.direct = "require";
  for (const std::int64_t skew : {0, 64}) {
    std::int64_t calls = 0;
    const Status status = load_all(std::make_unique<test::FailingBackend>(posix(), 1, ESTALE, false, calls), skew);
    ASSERT_TRUE(status.ok()) << describe(status.failure());
    EXPECT_TRUE(all_direct());
  }
}

TEST_F(DirectTest, ADepthIsObeyed_IO22) {
  add_file(40 * kMiB);
  budget_ = 512 * kMiB;
  settings_.request_bytes = 64 * kKiB;
  for (const char* direct : {"on", "off"}) {
    for (const std::int64_t depth : {100, 256, 512}) {
      settings_.direct = direct;
      settings_.mapped = "off";
      settings_.depth = depth;
      test::CountingBackend::Counts counts;
      test::GatedBackend::Gate gate;
      int waits = 0;
      gate.on_wait = [&] { gate.open = ++waits == 100; };
      auto counting = std::make_unique<test::CountingBackend>(
          make_backend("posix", static_cast<int>(depth), nullptr).value(), counts);
      // Addresses off the alignment: each direct request needs a block.
      ASSERT_TRUE(load_all(std::make_unique<test::GatedBackend>(std::move(counting), gate), 64).ok());
      EXPECT_EQ(stats_.depth, depth) << direct;
      EXPECT_EQ(counts.requests, counts.completions);
    }
  }
}

}  // namespace
}  // namespace loadstone::io
