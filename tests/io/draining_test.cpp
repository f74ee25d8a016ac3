// What is in flight when a run fails or is stopped: it comes home at once, and says what it saw.
#include "core/pages.hpp"
#include "engine_support.hpp"

#include <gtest/gtest.h>

#include <filesystem>
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

}  // namespace
}  // namespace loadstone::io
