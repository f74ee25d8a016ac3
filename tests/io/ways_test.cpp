// The way never changes the answer (IO-16): every way, cold, warm and mixed, at every alignment.
#include "engine_support.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <tuple>

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
      read({{0, 0, landing.at(0, kBytes)}});
      EXPECT_EQ(stats_.bytes_in_place + stats_.bytes_staged, kBytes);
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

TEST_P(Ways, ASmallBudgetOnlyChangesTheWay) {
  constexpr std::int64_t kBytes = 3 * kMiB + 5;
  write(kBytes);
  for (const std::int64_t budget : {4 * kKiB, 300 * kKiB, 2 * kMiB}) {
    test::drop_from_cache(files_[0].name.name);
    Landing landing(kBytes, 77);
    read({{0, 0, landing.at(0, kBytes)}}, budget);
  }
}

TEST(ChosenWay, ColdIsDirectAndWarmIsMappedOnALocalDisk) {
  const TempDir dir(".");
  constexpr std::int64_t kBytes = 20 * kMiB;
  const std::vector<InputFile> files = {test::input(dir.write("f", test::pattern(kBytes)))};
  Opener opener;
  Ledger ledger(256 * kMiB);
  test::drop_from_cache(files[0].name.name);
  auto engine = Engine::make({}, opener, ledger);
  ASSERT_TRUE(engine.ok());
  Landing landing(kBytes);
  const auto load = [&] {
    ListSource source({{0, 0, landing.at(0, kBytes)}});
    EXPECT_TRUE((*engine)->run(files, source, {}).ok());
    EXPECT_TRUE(test::holds(landing.at(0, kBytes), 0));
    return (*engine)->take_stats();
  };
  const LoadStats cold = load();
  if (!cold.bytes_by_way.contains("direct")) GTEST_SKIP() << "no direct I/O, or no way to empty the page cache, here";
  EXPECT_EQ(cold.bytes_by_way.at("direct"), kBytes);
  std::ifstream(files[0].name.name, std::ios::binary).ignore(kBytes);
  const LoadStats warm = load();
  EXPECT_EQ(warm.bytes_by_way.at("mapped"), kBytes);
  EXPECT_EQ(ledger.peak_bytes(Use::mapped) > 0, true);
}

TEST(ChosenWay, ShortRunsCloseTogetherAreLeftToReadAhead) {
  const TempDir dir(".");
  constexpr std::int64_t kBytes = 4 * kMiB;
  const std::vector<InputFile> files = {test::input(dir.write("f", test::pattern(kBytes)))};
  Opener opener;
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
