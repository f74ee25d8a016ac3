// Which deadline a call waits by.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "support/index_shards.hpp"

namespace loadstone {
namespace {

class SessionDeadline : public testing::Test {
 protected:
  SessionDeadline() { test::write_index_shards(directory_, {8, 2}, {3, 5}, {{}}); }
  ~SessionDeadline() override { unsetenv("LOADSTONE_DEADLINE"); }
  [[nodiscard]] Paths paths() const { return {directory_.path().string()}; }

  /// Until rank 0 has met its deadline.
  void stay_away() const {
    while (!met_) std::this_thread::yield();
  }
  template <class Call>
  void expect_deadline(const Call& call) {
    try {
      call();
      ADD_FAILURE() << "the other rank was not missed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::deadline) << error.what();
    }
    met_ = true;
  }

 private:
  test::TempDir directory_;
  std::atomic<bool> met_ = false;
};

TEST_F(SessionDeadline, T27_OfOpen) {
  run_threads(2, [&](const CommPtr& comm) {
    if (comm->rank() == 1) return stay_away();
    expect_deadline([&] { open(paths(), {.deadline_s = 1}, comm); });
  });
}

TEST_F(SessionDeadline, T27_OfTheEnvironmentOnceItIsAgreed) {
  setenv("LOADSTONE_DEADLINE", "1", 1);
  run_threads(2, [&](const CommPtr& comm) {
    LoadOptions options;
    if (comm->rank() == 0) return expect_deadline([&] { load(paths(), options, comm); });
    options.progress = [&](const Progress&) { stay_away(); };
    EXPECT_THROW(load(paths(), options, comm), Error);
  });
}

}  // namespace
}  // namespace loadstone
