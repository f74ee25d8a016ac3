// The way never changes the answer (IO-16): every way, cold, warm and mixed, at every alignment.
#include "core/pages.hpp"
#include "engine_support.hpp"
#include "io/residency.hpp"
#include "support/child.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace loadstone::io {
namespace {

using test::Landing;
using test::ListSource;
using test::TempDir;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

using Setting = std::tuple<std::string, std::string, std::string>;  // backend, direct, mapped

class Ways : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    const auto& [backend, direct, mapped] = GetParam();
    if (!test::is_usable(backend)) GTEST_SKIP() << backend << " cannot be used here";
    settings_.backend = backend;
    settings_.direct = direct;
    settings_.mapped = mapped;
    settings_.threads = 2;
  }

  void write(std::int64_t bytes) { files_ = {test::input(dir_.write("f", test::pattern(bytes)))}; }

  void read(const std::vector<Read>& reads, std::int64_t budget = 256 * kMiB) {
    Ledger ledger(budget);
    auto engine = Engine::make(settings_, opener_, ledger);
    ASSERT_TRUE(engine.ok());
    ListSource source(reads);
    const Status status = (*engine)->run(files_, source, {});
    ASSERT_TRUE(status.ok()) << describe(status.failure());
    ASSERT_TRUE(source.each_done_once());
    for (const Read& read : reads) ASSERT_TRUE(test::holds(read.destination, read.offset)) << read.offset;
    EXPECT_LE(ledger.peak_bytes(), budget);
    EXPECT_EQ(ledger.held_bytes(), 0);
    stats_ = (*engine)->take_stats();
  }

  [[nodiscard]] std::int64_t cached_pages(std::int64_t offset, std::int64_t bytes) {
    const Descriptor file = opener_.open(files_[0].name).value();
    return residency_of(file.get(), offset, bytes).cached;
  }

  /// The file's one window was found to be in this state, if it was asked about and the kernel tells.
  void expect_told(const std::string& state) {
    const Descriptor file = opener_.open(files_[0].name).value();
    const bool told = residency_of(file.get(), 0, 1).error == 0 && residency_is_true(file.get());
    const std::string wanted = settings_.direct == "on" ? "cold" : state;
    if (!told) return;
    EXPECT_EQ(stats_.windows, (std::map<std::string, std::int64_t>{{wanted, 1}})) << state;
  }

  TempDir dir_{"."};  // the working directory is on a disk, the folder for temporary files may not be
  Opener opener_;
  EngineSettings settings_;
  std::vector<InputFile> files_;
  LoadStats stats_;
};

INSTANTIATE_TEST_SUITE_P(, Ways,
                         testing::Values(Setting{"posix", "off", "off"}, Setting{"posix", "on", "off"},
                                         Setting{"posix", "auto", "auto"}, Setting{"uring", "off", "off"},
                                         Setting{"uring", "on", "off"}, Setting{"uring", "auto", "auto"}),
                         [](const auto& p) {
                           return std::get<0>(p.param) + "_direct_" + std::get<1>(p.param) + "_mapped_" +
                                  std::get<2>(p.param);
                         });

TEST_P(Ways, EveryStartAndSizeNearABlock_C104_IO18) {
  write(3 * kMiB);
  test::drop_from_cache(files_[0].name.name);
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  constexpr std::int64_t kStride = 72 * kKiB;
  Landing landing(40 * kStride, test::pick(random, 0, 4095));
  for (const std::int64_t size : {1L, 511L, 512L, 513L, 4095L, 4096L, 4097L, 65536L, 70000L}) {
    std::vector<Read> reads;
    for (std::int64_t i = 0; i < 40; ++i) {
      const std::int64_t start = i * kStride + (i < 8 ? i : test::pick(random, 0, 2000));
      reads.push_back({0, start, landing.at(i * kStride, std::min(size, 3 * kMiB - start))});
    }
    read(reads);
  }
}

TEST_P(Ways, FilesThatEndOffTheBlock) {  // DeepSpeed#1070
  for (const std::int64_t size : {4096L, 4097L, 8191L, 8192L - 511, 8192L - 512, 128 * kKiB + 1, kMiB - 1, kMiB + 1}) {
    write(size);
    test::drop_from_cache(files_[0].name.name);
    Landing landing(size, 128);
    read({{0, 0, landing.at(0, size)}});
    read({{0, size - 1, landing.at(0, 1)}});
  }
}

TEST_P(Ways, ColdWarmAndMixedAtAnyShift) {
  constexpr std::int64_t kBytes = 5 * kMiB + 777;
  write(kBytes);
  for (const std::int64_t skew : {0L, 128L, 512L, 1001L}) {
    for (const char* state : {"cold", "mixed", "warm"}) {
      test::drop_from_cache(files_[0].name.name);
      std::ifstream file(files_[0].name.name, std::ios::binary);
      if (state != std::string("cold")) file.ignore(state == std::string("warm") ? kBytes : 2 * kMiB + 99);
      Landing landing(kBytes, skew);
      const bool empties = state != std::string("cold") || cached_pages(0, kBytes) == 0;
      const bool mixes = state != std::string("mixed") || cached_pages(4 * kMiB, kMiB) == 0;
      read({{0, 0, landing.at(0, kBytes)}});
      EXPECT_EQ(stats_.bytes_in_place + stats_.bytes_staged, kBytes);
      if (empties && mixes) expect_told(state == std::string("warm") ? "resident" : state);
    }
  }
}

TEST_P(Ways, ReadsThatDoNotFollowEachOtherInMemory) {
  constexpr std::int64_t kBytes = 4 * kMiB;
  write(kBytes);
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (const bool cold : {true, false}) {
    if (cold) test::drop_from_cache(files_[0].name.name);
    Landing landing(2 * kBytes);
    std::vector<Read> reads;
    for (std::int64_t at = 0, to = 0; at < kBytes - 300 * kKiB;) {
      const std::int64_t size = test::pick(random, 1, test::pick(random, 0, 3) == 0 ? 300 * kKiB : 5000);
      reads.push_back({0, at, landing.at(to, size), 0, test::pick(random, 0, 1) == 1});
      to += size + test::pick(random, 0, 100);
      at += size + (test::pick(random, 0, 2) == 0 ? test::pick(random, 1, 70'000) : 0);
    }
    read(reads);
  }
}

TEST_P(Ways, SmallGapsAreReadOver) {
  constexpr std::int64_t kBytes = 6 * kMiB;
  write(kBytes);
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (const bool touching : {true, false}) {
    test::drop_from_cache(files_[0].name.name);
    Landing landing(2 * kBytes, test::pick(random, 0, 4095));
    std::vector<Read> reads;
    std::int64_t wanted = 0;
    for (std::int64_t at = 17, to = 0; at < kBytes - 10'000; to += touching ? 0 : test::pick(random, 1, 50)) {
      const std::int64_t size = test::pick(random, 4000, 9000);
      reads.push_back({0, at, landing.at(to, size)});
      wanted += size;
      to += size;
      at += size + test::pick(random, 0, 64);
    }
    read(reads);
    EXPECT_EQ(stats_.bytes_wanted, wanted);
    EXPECT_EQ(stats_.bytes_in_place + stats_.bytes_staged, wanted) << "gaps land nowhere";
    EXPECT_LE(stats_.bytes_read, wanted + wanted / 50 + stats_.requests * 2 * 4096);
    EXPECT_LE(stats_.requests, 2 * (kBytes / kMiB) + std::ssize(reads) / 100) << "of " << reads.size() << " runs";
  }
}

/// Rows of `row` bytes, of which every read wants `run` from `first` on: a split along an inner axis.
std::vector<Read> columns(Landing& landing, std::int64_t bytes, std::int64_t row, std::int64_t first,
                          std::int64_t run) {
  std::vector<Read> reads;
  for (std::int64_t at = first, to = 0; at + run <= bytes; at += row, to += run) {
    reads.push_back({0, at, landing.at(to, run)});
  }
  return reads;
}

TEST_P(Ways, ShortRunsOfResidentPagesArePickedOutOfAMapping) {
  constexpr std::int64_t kBytes = 9 * kMiB + 333;
  write(kBytes);
  struct Case {
    std::int64_t row, first, run;
  };
  bool dirty = true;  // as they were written
  for (const Case& one : {Case{2048, 0, 1024}, Case{2048, 128, 1024}, Case{4100, 7, 5}, Case{700, 699, 1},
                          Case{4500, 0, 404}, Case{8192, 1, 4096}, Case{20'000, 0, 3700}}) {
    if (!std::exchange(dirty, false)) test::keep_in_cache(files_[0].name.name);
    Landing landing(kBytes, one.first);
    const std::vector<Read> reads = columns(landing, kBytes, one.row, one.first, one.run);
    read(reads);
    const std::int64_t wanted = std::ssize(reads) * one.run;
    EXPECT_EQ(stats_.bytes_wanted, wanted);
    if (settings_.mapped != "auto" || stats_.windows["resident"] + stats_.windows["busy"] == 0) continue;
    EXPECT_EQ(stats_.bytes_read, wanted) << "what lies between is passed over";
    EXPECT_GE(10 * stats_.bytes_by_way["mapped"], 9 * wanted);
    EXPECT_LE(stats_.requests, std::ssize(reads) / 5);
  }
}

TEST_P(Ways, ShortRunsOfAMappingThatTheBudgetRefusesAreReadInParts) {
  constexpr std::int64_t kBytes = 8 * kMiB;
  write(kBytes);
  test::keep_in_cache(files_[0].name.name);
  Ledger ledger(256 * kMiB);
  const Result<Reservation> others = ledger.try_reserve(256 * kMiB - 64 * kKiB, Use::staging);
  ASSERT_TRUE(others.ok());
  auto engine = Engine::make(settings_, opener_, ledger);
  ASSERT_TRUE(engine.ok());
  Landing landing(kBytes);
  const std::vector<Read> reads = columns(landing, kBytes, 2048, 0, 1024);
  ListSource source(reads);
  const Status status = (*engine)->run(files_, source, {});
  ASSERT_TRUE(status.ok()) << describe(status.failure());
  ASSERT_TRUE(source.each_done_once());
  for (const Read& read : reads) ASSERT_TRUE(test::holds(read.destination, read.offset)) << read.offset;
}

TEST_P(Ways, ASmallBudgetOnlyChangesTheWay) {
  constexpr std::int64_t kBytes = 3 * kMiB + 5;
  write(kBytes);
  for (const std::int64_t budget : {4 * kKiB, 300 * kKiB, 2 * kMiB}) {
    test::drop_from_cache(files_[0].name.name);
    Landing landing(kBytes, 77);
    read({{0, 0, landing.at(0, kBytes)}}, budget);
  }
}

TEST_P(Ways, APlainReaderGetsTheSameBytes_IO16) {  // flashpack#28
  if (!test::may_become_nobody()) GTEST_SKIP() << "only root can become a reader who owns nothing";
  constexpr std::int64_t kBytes = 20 * kMiB + 5;
  write(kBytes);
  EXPECT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
  EXPECT_EQ(::chmod(files_[0].name.name.c_str(), 0644), 0);
  files_ = {test::input(files_[0].name.name)};
  for (const bool cold : {true, false}) {
    test::drop_from_cache(files_[0].name.name);
    if (!cold) std::ifstream(files_[0].name.name, std::ios::binary).ignore(kBytes);
    EXPECT_TRUE(test::holds_in_child([&] {
      if (!test::become_nobody()) return false;
      const Descriptor file = opener_.open(files_[0].name).value();
      const bool is_told = residency_of(file.get(), 0, 1).error == 0;
      Landing landing(kBytes, 64);
      read({{0, 0, landing.at(0, kBytes)}});
      // Nobody tells: a request asks where something hangs on the answer; else it is taken for cold.
      const std::string state = settings_.direct == "auto" ? "unknown" : "cold";
      const bool named = is_told || stats_.windows == std::map<std::string, std::int64_t>{{state, 2}};
      return named && !HasFailure();
    })) << (cold ? "cold" : "warm");
  }
}

bool probe_backend(std::string_view name) {
  for (const BackendEntry& entry : backend_table()) {
    if (entry.name == name) return entry.make != nullptr && entry.probe != nullptr && entry.probe().usable;
  }
  return false;
}

TEST(ChosenWay, ColdIsDirectAndWarmIsTheFasterOfTwoOnALocalDisk) {
  const TempDir dir(".");
  constexpr std::int64_t kBytes = 20 * kMiB;
  const std::vector<InputFile> files = {test::input(dir.write("f", test::pattern(kBytes)))};
  const Opener opener;
  Ledger ledger(256 * kMiB);
  test::drop_from_cache(files[0].name.name);
  auto engine = Engine::make({}, opener, ledger);
  ASSERT_TRUE(engine.ok());
  const Pages present(kBytes, "auto", 0);
  const auto load = [&](std::span<std::byte> target) {
    ListSource source({{0, 0, target}});
    EXPECT_TRUE((*engine)->run(files, source, {}).ok());
    EXPECT_TRUE(test::holds(target, 0));
    return (*engine)->take_stats();
  };
  const LoadStats cold = load(present.bytes());
  if (!cold.bytes_by_way.contains("direct")) GTEST_SKIP() << "no direct I/O, or no way to empty the page cache, here";
  EXPECT_EQ(cold.bytes_by_way.at("direct"), kBytes);
  std::ifstream(files[0].name.name, std::ios::binary).ignore(kBytes);
  const LoadStats warm = load(present.bytes());
  EXPECT_FALSE(warm.bytes_by_way.contains("direct"));
  EXPECT_EQ(warm.bytes_by_way.at("buffered") + warm.bytes_by_way.at("mapped"), kBytes) << "both are tried";
  EXPECT_GT(ledger.peak_bytes(Use::mapped), 0);
  const Pages fresh(kBytes, "auto", 0);
  EXPECT_EQ(load(fresh.bytes()).bytes_by_way.at("buffered"), kBytes) << "nothing is gained by mapping for fresh pages";
}

/// What a load of a cold file counts, with these settings; its bytes are checked.
LoadStats load_cold(const InputFile& file, std::int64_t bytes, const EngineSettings& settings,
                    std::int64_t expected = 0) {
  const Opener opener;
  Ledger ledger(256 * kMiB);
  test::drop_from_cache(file.name.name);
  auto engine = Engine::make(settings, opener, ledger);
  EXPECT_TRUE(engine.ok());
  Landing landing(bytes);
  ListSource source({{0, 0, landing.at(0, bytes)}});
  source.expected = expected;
  EXPECT_TRUE((*engine)->run({&file, 1}, source, {}).ok());
  EXPECT_TRUE(test::holds(landing.at(0, bytes), 0));
  return (*engine)->take_stats();
}

TEST(ChosenWay, MuchFromANetworkMountIsTriedBothWays_IO10) {
  const TempDir dir(".");
  constexpr std::int64_t kBytes = 20 * kMiB;
  const InputFile file = test::input(dir.write("f", test::pattern(kBytes)));
  EngineSettings settings;
  settings.fs_class = dir.path().string() + "=network";
  settings.request_bytes = kMiB;
  const LoadStats little = load_cold(file, kBytes, settings, (std::int64_t{4} << 30) - 1);
  EXPECT_FALSE(little.bytes_by_way.contains("direct")) << "not worth finding out";
  const LoadStats much = load_cold(file, kBytes, settings, std::int64_t{4} << 30);
  if (!much.bytes_by_way.contains("direct")) GTEST_SKIP() << "no direct I/O here";
  EXPECT_GE(much.bytes_by_way.at("direct"), 7 * kMiB);
  EXPECT_GE(much.bytes_by_way.at("buffered"), 7 * kMiB);
  EXPECT_EQ(much.bytes_read, kBytes) << "no extra bytes";
  settings.direct = "off";
  EXPECT_FALSE(load_cold(file, kBytes, settings, std::int64_t{4} << 30).bytes_by_way.contains("direct"));
}

TEST(ChosenWay, SpareLeavesLittleInThePageCache_IO17) {
  const TempDir dir(".");
  constexpr std::int64_t kBytes = 64 * kMiB + 5;
  const InputFile file = test::input(dir.write("f", test::pattern(kBytes)));
  for (const std::string backend : {"posix", "uring"}) {
    EngineSettings settings;
    settings.backend = backend;
    settings.direct = "off";
    const auto cached_after = [&](const std::string& rule) {
      settings.page_cache = rule;
      load_cold(file, kBytes, settings);
      const Descriptor opened = Opener().open(file.name).value();
      return residency_of(opened.get(), 0, kBytes).cached;
    };
    if (!probe_backend(backend) || cached_after("keep") == 0) continue;
    EXPECT_LE(cached_after("spare"), kBytes / 4096 / 3) << backend << ": what requests at work share may stay";
  }
}

TEST(ChosenWay, WindowsAreCountedByWhatIsFoundOfThem_IO40) {
  const TempDir dir(".");
  constexpr std::int64_t kBytes = 40 * kMiB;
  const InputFile file = test::input(dir.write("f", test::pattern(kBytes)));
  const LoadStats stats = load_cold(file, kBytes, {});
  std::int64_t windows = 0;
  for (const auto& [name, count] : stats.windows) windows += count;
  EXPECT_EQ(windows, 3);
  EXPECT_GE(stats.depth, 1);
  EXPECT_LE(stats.depth, 128);
}

TEST(ChosenWay, ShortRunsCloseTogetherAreLeftToReadAhead) {
  const TempDir dir(".");
  constexpr std::int64_t kBytes = 4 * kMiB;
  const std::vector<InputFile> files = {test::input(dir.write("f", test::pattern(kBytes)))};
  const Opener opener;
  Ledger ledger(256 * kMiB);
  EngineSettings settings;
  settings.direct = "on";
  auto engine = Engine::make(settings, opener, ledger);
  ASSERT_TRUE(engine.ok());
  Landing landing(kBytes);
  std::vector<Read> reads;
  for (std::int64_t at = 0; at < kBytes; at += kKiB) reads.push_back({0, at, landing.at(at, 100)});
  ListSource source(reads);
  ASSERT_TRUE((*engine)->run(files, source, {}).ok());
  for (const Read& read : reads) ASSERT_TRUE(test::holds(read.destination, read.offset));
  EXPECT_GT((*engine)->take_stats().bytes_by_way["buffered"], 4000 * 100);
}

}  // namespace
}  // namespace loadstone::io
