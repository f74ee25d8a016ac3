// What an engine tells its backend beforehand: files that are attached, memory that is registered.
#include "engine_support.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace loadstone::io {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

class Registration : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!test::is_usable(GetParam())) GTEST_SKIP() << GetParam() << " cannot be used here";
    settings_.depth = 2;  // so that few blocks are used often
  }

  void add_file(std::int64_t bytes) {
    const auto index = static_cast<std::int64_t>(files_.size());
    const std::string path = dir_.write("shard_" + std::to_string(index), test::pattern(bytes, index));
    files_.push_back(test::input(path, index));
    test::drop_from_cache(path);
  }

  Engine& make() {
    auto counting = std::make_unique<test::CountingBackend>(make_backend(GetParam(), 64, nullptr).value(), counts_);
    engine_ = Engine::make(settings_, opener_, ledger_, std::move(counting)).value();
    return *engine_;
  }

  const std::int64_t pinned_ = test::pinned_bytes();
  test::TempDir dir_;
  Opener opener_;
  Ledger ledger_{256 * kMiB};
  EngineSettings settings_;
  std::vector<InputFile> files_;
  test::CountingBackend::Counts counts_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(Registration, EachOpeningIsAttachedAndDetachedOnce_IO1) {
  constexpr std::int64_t kBytes = 256 * kKiB;
  settings_.open_files = 4;
  for (std::int64_t f = 0; f < 10; ++f) add_file(kBytes);
  test::Landing landing(30 * kBytes);
  std::vector<Read> reads;
  for (std::int64_t i = 0; i < 30; ++i) reads.push_back({i % 10, 0, landing.at(i * kBytes, kBytes)});
  test::ListSource source(reads);
  Engine& engine = make();
  ASSERT_TRUE(engine.run(files_, source, {}).ok());
  for (std::int64_t i = 0; i < 30; ++i) EXPECT_TRUE(test::holds(landing.at(i * kBytes, kBytes), 0, i % 10)) << i;
  EXPECT_EQ(counts_.attached, engine.take_stats().opens);
  EXPECT_GE(counts_.attached, 30) << "files were closed in between";
  EXPECT_EQ(counts_.detached, counts_.attached);
  EXPECT_TRUE(counts_.slots.empty());
}

TEST_P(Registration, StagingMemoryIsRegisteredOnlyWhileItIsUsed_IO1) {
  constexpr std::int64_t kBytes = 24 * kMiB;
  settings_.direct = "on";
  add_file(kBytes);
  Engine& engine = make();
  for (int turn = 0; turn < 2; ++turn) {
    counts_.registered = 0;
    test::drop_from_cache(files_[0].name.name);
    test::Landing landing(kBytes, 7);
    test::ListSource source({{0, 1, landing.at(0, kBytes - 1)}});
    ASSERT_TRUE(engine.run(files_, source, {}).ok());
    EXPECT_TRUE(test::holds(landing.at(0, kBytes - 1), 1));
    const std::int64_t staged = engine.take_stats().bytes_staged;
    EXPECT_EQ(counts_.registered > 0, staged > 4 * kMiB) << staged;
    EXPECT_TRUE(counts_.memory.empty()) << "between runs nothing is";
    EXPECT_EQ(test::pinned_bytes(), pinned_);
  }
}

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(EachBackend, Registration, testing::Values("posix", "uring"), name_of);

}  // namespace
}  // namespace loadstone::io
