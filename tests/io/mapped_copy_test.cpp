#include "io/copiers.hpp"

#include "engine_support.hpp"
#include "io/fault_guard.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace loadstone::io {
namespace {

using test::TempDir;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class MappedCopyTest : public testing::Test {
 protected:
  void open(std::int64_t bytes) {
    path_ = dir_.write("f", test::pattern(bytes));
    file_ = Opener().open({"", path_}).value();
    job_.fd = file_.get();
    job_.identity = *identity_of(file_.get(), path_);
    target_.assign(static_cast<std::size_t>(bytes), test::kPoison);
    pieces_ = {{target_.data(), target_.size()}};
    job_.destinations = pieces_;
  }

  TempDir dir_;
  std::string path_;
  Descriptor file_;
  Ledger ledger_{64 * kMiB};
  std::vector<std::byte> target_;
  std::vector<iovec> pieces_;
  CopyJob job_;
};

TEST_F(MappedCopyTest, CopiesFromAnyOffsetAndIsCharged) {
  open(2 * kMiB);
  for (const std::int64_t offset : {0L, 1L, 4095L, 4096L, 100'001L}) {
    pieces_ = {{target_.data(), 1000}, {target_.data() + 5000, static_cast<std::size_t>(kMiB)}};
    job_.destinations = pieces_;
    job_.offset = offset;
    ASSERT_TRUE(copy_mapped(job_, ledger_));
    EXPECT_TRUE(test::holds(std::span(target_).first(1000), offset));
    EXPECT_TRUE(test::holds(std::span(target_).subspan(5000, kMiB), offset + 1000));
  }
  EXPECT_GE(ledger_.peak_bytes(Use::mapped), kMiB);
  EXPECT_EQ(ledger_.held_bytes(), 0);
}

TEST_F(MappedCopyTest, SaysNoWhereItCannot_IO20) {
  open(2 * kMiB);
  Ledger poor(kMiB);
  EXPECT_FALSE(copy_mapped(job_, poor)) << "not within the budget";
  std::filesystem::resize_file(path_, kMiB);
  EXPECT_FALSE(copy_mapped(job_, ledger_)) << "cut: the identity differs";
  job_.identity = *identity_of(file_.get(), path_);
  EXPECT_FALSE(copy_mapped(job_, ledger_)) << "the range passes the end of the file";
}

TEST_F(MappedCopyTest, ACutUnderTheCopyEndsWithFalse_C061_T21) {
  ASSERT_TRUE(guard_is_in_place());
  for (const std::int64_t bytes : {8192L, 100'000L, kMiB, 8 * kMiB}) {
    open(bytes);
    void* const at = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, file_.get(), 0);
    ASSERT_NE(at, MAP_FAILED);
    std::filesystem::resize_file(path_, 4096);
    const std::span mapped(static_cast<const std::byte*>(at), static_cast<std::size_t>(bytes));
    const iovec all = {target_.data(), mapped.size()};
    const iovec first = {target_.data(), 4096};
    EXPECT_FALSE(guarded_copy({&all, 1}, nullptr, mapped));
    EXPECT_TRUE(guarded_copy({&first, 1}, nullptr, mapped.first(4096))) << "and the guard works on";
    ::munmap(at, static_cast<std::size_t>(bytes));
  }
}

TEST_F(MappedCopyTest, CutsAtRandomMomentsAreNeverWrongBytes_C061) {
  open(4 * kMiB);
  const std::vector<std::byte> whole = test::pattern(4 * kMiB);
  std::atomic<bool> stop = false;
  std::thread meddler([&] {
    while (!stop) {
      std::filesystem::resize_file(path_, kMiB + 17);
      std::ofstream(path_, std::ios::binary | std::ios::in)
          .write(reinterpret_cast<const char*>(whole.data()), 4 * kMiB);
    }
  });
  for (int i = 0; i < 300; ++i) {
    job_.identity = *identity_of(file_.get(), path_);
    if (job_.identity.size != 4 * kMiB) continue;
    std::fill(target_.begin(), target_.end(), test::kPoison);
    // What was there when the identity was taken may be half written; only the lack of a signal is told here.
    (void)copy_mapped(job_, ledger_);
  }
  stop = true;
  meddler.join();
  job_.identity = *identity_of(file_.get(), path_);
  EXPECT_TRUE(copy_mapped(job_, ledger_));
  EXPECT_TRUE(test::holds(target_, 0));
}

TEST(FaultGuardDeathTest, HandsOtherFaultsOn_IO21) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        struct sigaction before = {};
        before.sa_handler = [](int) { _exit(42); };
        ::sigaction(SIGBUS, &before, nullptr);
        (void)guard_is_in_place();
        ::raise(SIGBUS);
      },
      testing::ExitedWithCode(42), "");
}

TEST(FaultGuardDeathTest, NoticesAnotherHandler_IO21) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const bool ours = guard_is_in_place();
        ::signal(SIGBUS, SIG_DFL);
        _exit(ours && !guard_is_in_place() ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

TEST(Copiers, HelpersAndTheCallerShareTheWork) {
  const TempDir dir;
  const std::string path = dir.write("f", test::pattern(8 * kMiB));
  const Descriptor file = Opener().open({"", path}).value();
  Ledger ledger(64 * kMiB);
  std::vector<std::byte> target(8 * kMiB);
  std::vector<iovec> pieces;
  for (std::size_t i = 0; i < 8; ++i) pieces.push_back({target.data() + i * kMiB, kMiB});
  Copiers copiers(ledger, 3);
  for (std::size_t i = 0; i < 8; ++i) {
    CopyJob job;
    job.tag = i;
    job.fd = file.get();
    job.offset = static_cast<std::int64_t>(i) * kMiB;
    job.destinations = {&pieces[i], 1};
    job.identity = *identity_of(file.get(), path);
    copiers.add(job);
  }
  std::vector<Copiers::Done> done;
  std::size_t finished = 0;
  while (finished < 8) {
    const bool helped = copiers.help();
    copiers.collect(done, helped ? 0 : 0.1);
    for (const Copiers::Done& one : done) EXPECT_TRUE(one.copied);
    finished += done.size();
  }
  EXPECT_TRUE(test::holds(target, 0));
}

}  // namespace
}  // namespace loadstone::io
