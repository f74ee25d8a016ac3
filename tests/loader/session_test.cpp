// Which deadline a call waits by, and what its ranks agree on.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "loader/session.hpp"
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

struct Said {
  std::int64_t request_bytes;
  const char* landing;
};

/// What two ranks that say something else come to, each in its environment.
void expect_agreed(const Said& first, const Said& second, const Said& agreed) {
  run_threads(2, [&](const CommPtr& comm) {
    const Said& mine = comm->rank() == 0 ? first : second;
    loader::SessionOptions options;
    options.io.request_bytes = mine.request_bytes;
    options.io.landing = mine.landing;
    const loader::Session session(comm, options);
    EXPECT_EQ(session.settings().engine.request_bytes, agreed.request_bytes);
    EXPECT_EQ(session.settings().engine.landing, agreed.landing);
  });
}

TEST(Session, IO41WhatChangesThePlanIsAgreed) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  expect_agreed({0, ""}, {0, ""}, {0, "auto"});
  expect_agreed({0, "staged"}, {0, ""}, {0, "staged"});
  expect_agreed({8 * kMiB, ""}, {2 * kMiB, ""}, {2 * kMiB, "auto"});
  expect_agreed({8 * kMiB, ""}, {0, ""}, {0, "auto"});
  expect_agreed({0, ""}, {64 * 1024, "staged"}, {64 * 1024, "staged"});
  expect_agreed({kMiB, ""}, {0, ""}, {kMiB, "auto"});
}

}  // namespace
}  // namespace loadstone
