// What every backend must do, whoever implements it: one line at the end adds one.
#include "core/pages.hpp"
#include "engine_support.hpp"
#include "io/backend_makers.hpp"
#include "wide_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace loadstone::io {
namespace {

using test::TempDir;
using test::WideMemory;

constexpr std::int64_t kRequest = std::int64_t{64} * 1024;

constexpr std::int64_t kPage = 4096;

/// As long as it lives, this thread may have no more memory held in place than it is allowed.
class LimitedMemory {
 public:
  LimitedMemory() {
    ::getrlimit(RLIMIT_MEMLOCK, &limit_before_);
    ::syscall(SYS_capget, &header_, before_.data());
    auto fewer = before_;
    fewer[0].effective &= ~(1U << CAP_IPC_LOCK);
    holds_ = ::syscall(SYS_capset, &header_, fewer.data()) == 0;
  }
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;
  ~LimitedMemory() {
    ::syscall(SYS_capset, &header_, before_.data());
    ::setrlimit(RLIMIT_MEMLOCK, &limit_before_);
  }
  [[nodiscard]] bool holds() const { return holds_; }
  void allow(rlim_t bytes) const {
    const rlimit limit = {bytes, limit_before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  }

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> before_ = {};
  rlimit limit_before_ = {};
  bool holds_ = false;
};

#if defined(__SANITIZE_THREAD__)
constexpr bool kIsThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kIsThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kIsThreadSanitizer = false;
#endif

struct BackendMaker {
  std::string name;
  std::unique_ptr<Backend> (*make)(int depth);
};

/// A backend, and a folder on the file system where it is tried.
using Case = std::tuple<BackendMaker, std::string>;

class Conformance : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    descriptors_ = test::open_descriptors();
    backend_ = make();
    if (backend_ == nullptr) GTEST_SKIP() << std::get<0>(GetParam()).name << " cannot be used here";
  }
  static std::unique_ptr<Backend> make() { return std::get<0>(GetParam()).make(8); }
  void TearDown() override {
    if (backend_ != nullptr) {
      EXPECT_TRUE(backend_->close({}).empty());
    }
    backend_.reset();
    file_.reset();
    EXPECT_EQ(test::open_descriptors(), descriptors_) << "descriptors leak";
  }

  int attach(const std::string& path, int flags = O_RDONLY) {
    file_ = Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0600));
    slot_ = backend_->attach(file_.get());
    return slot_;
  }

  Request read(std::uint64_t tag, std::int64_t offset, const iovec& piece, Mode mode = Mode::buffered) const {
    return {.tag = tag, .slot = slot_, .offset = offset, .iovecs = {&piece, 1}, .mode = mode};
  }

  Completion carry_out(const Request& request) {
    EXPECT_EQ(backend_->submit({&request, 1}), 1);
    const auto done = backend_->wait(1, {});
    EXPECT_EQ(done.size(), 1U);
    return done.empty() ? Completion{} : done.front();
  }

  Descriptor pattern_file(std::int64_t bytes, std::int64_t salt) {
    const std::string path = dir_.write("f" + std::to_string(salt), test::pattern(bytes, salt));
    return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }

  /// The start of a file that pattern_file() made.
  bool reads(int slot, std::int64_t bytes, std::int64_t salt) {
    std::vector<std::byte> out(static_cast<std::size_t>(bytes));
    const iovec piece = {out.data(), out.size()};
    const Completion done = carry_out({.tag = 1, .slot = slot, .offset = 0, .iovecs = {&piece, 1}});
    return done.result == bytes && test::holds(out, 0, salt);
  }

  /// A file for direct reads, where the file system has them; the requests are the same.
  void attach_direct(std::int64_t bytes) {
    const std::string path = dir_.write("direct", test::pattern(bytes));
    if (attach(path, O_RDONLY | O_DIRECT) >= 0 && file_.valid()) return;
    attach(path);
  }

  /// Direct, from the place in the file that the memory has in its landing.
  bool lands(test::Landing& landing, std::int64_t offset, std::int64_t bytes) {
    const std::span<std::byte> memory = landing.at(offset, bytes);
    std::ranges::fill(memory, test::kPoison);
    const iovec piece = {memory.data(), memory.size()};
    return carry_out(read(1, offset, piece, Mode::direct)).result == bytes && test::holds(memory, offset);
  }

  std::int64_t descriptors_ = 0;
  TempDir dir_{std::get<1>(GetParam())};
  Descriptor file_;
  int slot_ = -1;
  std::unique_ptr<Backend> backend_;
};

TEST_P(Conformance, ReadsEverySize_IO42) {
  for (const std::int64_t size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{511}, std::int64_t{512}, std::int64_t{513}, std::int64_t{4095},
        std::int64_t{4096}, std::int64_t{4097}, kRequest - 1, kRequest, kRequest + 1, 3 * kRequest - 1, 3 * kRequest,
        3 * kRequest + 1}) {
    attach(dir_.write("f", test::pattern(size)));
    std::vector<std::byte> out(static_cast<std::size_t>(size) + 16, test::kPoison);
    const iovec piece = {out.data(), out.size()};
    EXPECT_EQ(carry_out(read(7, 0, piece)).result, size) << "up to the end of file";
    EXPECT_TRUE(test::holds(std::span(out).first(static_cast<std::size_t>(size)), 0));
    EXPECT_TRUE(test::is_poison(std::span(out).last(16))) << "nothing is written beyond";
    EXPECT_EQ(carry_out(read(8, size, piece)).result, 0);
  }
}

TEST_P(Conformance, ZeroLengthAtAPageMultiple_C059) {
  attach(dir_.write("f", test::pattern(8192)));
  std::byte nowhere{};
  const iovec piece = {&nowhere, 0};
  EXPECT_EQ(carry_out(read(1, 4096, piece)).result, 0);
}

TEST_P(Conformance, ScattersOverPieces) {
  attach(dir_.write("f", test::pattern(1000)));
  std::array<std::vector<std::byte>, 3> parts = {std::vector<std::byte>(1), std::vector<std::byte>(300),
                                                 std::vector<std::byte>(99)};
  const std::array<iovec, 3> pieces = {iovec{parts[0].data(), 1}, iovec{parts[1].data(), 300},
                                       iovec{parts[2].data(), 99}};
  EXPECT_EQ(carry_out({.tag = 1, .slot = slot_, .offset = 50, .iovecs = pieces}).result, 400);
  EXPECT_TRUE(test::holds(parts[0], 50) && test::holds(parts[1], 51) && test::holds(parts[2], 351));
}

TEST_P(Conformance, OneCompletionForEachRequest_IO1) {
  constexpr std::int64_t kFile = 1 << 20;
  attach(dir_.write("f", test::pattern(kFile)));
  test::ReorderingBackend backend(std::move(backend_), 3);
  std::vector<std::vector<std::byte>> out(500, std::vector<std::byte>(2000));
  std::vector<iovec> pieces;
  for (auto& memory : out) pieces.push_back({memory.data(), memory.size()});
  std::multiset<std::uint64_t> seen;
  std::size_t next = 0;
  while (seen.size() < out.size()) {
    std::vector<Request> batch;
    for (std::size_t i = next; i < std::min(next + 5, out.size()); ++i) {
      batch.push_back(read(i, static_cast<std::int64_t>(i * 1999), pieces[i]));
    }
    next += static_cast<std::size_t>(backend.submit(batch));
    for (const Completion& done : backend.wait(1, {})) {
      EXPECT_EQ(done.result, 2000);
      seen.insert(done.tag);
    }
  }
  EXPECT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), out.size());
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(test::holds(out[i], static_cast<std::int64_t>(i * 1999)));
  backend_ = make();
}

TEST_P(Conformance, AFullQueueTakesAsManyAsFit) {
  attach(dir_.write("f", test::pattern(kRequest)));
  std::vector<std::byte> out(std::size_t{20} * 16);
  std::vector<iovec> pieces;
  for (std::size_t i = 0; i < 20; ++i) pieces.push_back({out.data() + i * 16, 16});
  std::vector<Request> batch;
  for (std::size_t i = 0; i < 20; ++i) batch.push_back(read(i, static_cast<std::int64_t>(i * 16), pieces[i]));
  const int taken = backend_->submit(batch);
  EXPECT_EQ(taken, 8);
  int done = 0;
  while (done < taken) done += static_cast<int>(backend_->wait(taken - done, {}).size());
  EXPECT_EQ(done, taken);
  EXPECT_TRUE(backend_->wait(0, {}).empty());
}

TEST_P(Conformance, ReportsErrnos) {
  slot_ = 9999;
  std::byte out{};
  const iovec piece = {&out, 1};
  EXPECT_EQ(carry_out(read(1, 0, piece)).result, -EBADF);
}

TEST_P(Conformance, NowaitSaysWhetherItWasResident) {
  const std::string path = dir_.write("f", test::pattern(kRequest));
  attach(path);
  std::vector<std::byte> out(kRequest);
  const iovec piece = {out.data(), out.size()};
  EXPECT_EQ(carry_out(read(1, 0, piece)).result, kRequest);
  const std::int64_t again = carry_out(read(2, 0, piece, Mode::nowait)).result;
  EXPECT_TRUE(again == kRequest || again == -EOPNOTSUPP || again == -EAGAIN) << again;
}

TEST_P(Conformance, WaitsNoLongerThanTheDeadlineOrAStop) {
  Interrupt interrupt;
  interrupt.deadline_s = 0.02;
  double started = steady_seconds();
  EXPECT_TRUE(backend_->wait(1, interrupt).empty());
  EXPECT_GE(steady_seconds() - started, 0.015);
  const std::stop_source stop;
  stop.request_stop();
  interrupt.stop = stop.get_token();
  interrupt.deadline_s = 100;
  started = steady_seconds();
  EXPECT_TRUE(backend_->wait(1, interrupt).empty());
  EXPECT_LT(steady_seconds() - started, 1);
}

TEST_P(Conformance, ACancelledRequestStillComesBack) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  attach(fifo, O_RDWR);
  std::byte out{};
  const iovec piece = {&out, 1};
  const Request never = {.tag = 5, .slot = slot_, .offset = -1, .iovecs = {&piece, 1}};
  ASSERT_EQ(backend_->submit({&never, 1}), 1);
  backend_->cancel(5);
  // A blocking read cannot be called back: it is let go by a byte.
  Interrupt soon;
  soon.deadline_s = 0.05;
  std::size_t came = backend_->wait(1, soon).size();
  if (came == 0) {
    ASSERT_EQ(::write(file_.get(), "x", 1), 1);
    came = backend_->wait(1, {}).size();
  }
  EXPECT_EQ(came, 1U);
}

TEST_P(Conformance, CloseNamesWhatNeverCame_IO39) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  attach(fifo, O_RDWR);
  std::byte out{};
  const iovec piece = {&out, 1};
  const Request never = {.tag = 5, .slot = slot_, .offset = -1, .iovecs = {&piece, 1}};
  ASSERT_EQ(backend_->submit({&never, 1}), 1);
  Interrupt soon;
  soon.deadline_s = 0.05;
  EXPECT_EQ(backend_->close(soon), std::vector<std::uint64_t>{5});
  ASSERT_EQ(::write(file_.get(), "x", 1), 1);
  EXPECT_TRUE(backend_->close({}).empty());
}

TEST_P(Conformance, CloseWithWorkInFlight_C112) {
  attach(dir_.write("f", test::pattern(1 << 20)));
  std::vector<std::byte> out(8 << 17);
  std::vector<iovec> pieces;
  std::vector<Request> batch;
  for (std::size_t i = 0; i < 8; ++i) pieces.push_back({out.data() + (i << 17), 1 << 17});
  for (std::size_t i = 0; i < 8; ++i) batch.push_back(read(i, static_cast<std::int64_t>(i) << 17, pieces[i]));
  EXPECT_EQ(backend_->submit(batch), 8);
  EXPECT_TRUE(backend_->close({}).empty());
}

TEST_P(Conformance, WritesAndSyncs) {
  attach(dir_ / "new", O_RDWR | O_CREAT);
  std::vector<std::byte> bytes = test::pattern(5000);
  const iovec piece = {bytes.data(), bytes.size()};
  EXPECT_EQ(
      carry_out({.tag = 1, .operation = Operation::write, .slot = slot_, .offset = 10, .iovecs = {&piece, 1}}).result,
      5000);
  EXPECT_EQ(carry_out({.tag = 2, .operation = Operation::sync, .slot = slot_}).result, 0);
  std::vector<std::byte> back(5000);
  EXPECT_EQ(*read_at(file_.get(), 10, back, "new"), 5000);
  EXPECT_EQ(back, bytes);
}

TEST_P(Conformance, ManyLargeRequestsSideBySide) {
  constexpr std::size_t kBytes = 1 << 20;
  attach(dir_.write("f", test::pattern(8 * kBytes)));
  std::vector<std::byte> out(8 * kBytes);
  std::vector<iovec> pieces;
  std::vector<Request> batch;
  for (std::size_t i = 0; i < 8; ++i) pieces.push_back({out.data() + i * kBytes, kBytes});
  for (std::size_t i = 0; i < 8; ++i) batch.push_back(read(i, static_cast<std::int64_t>(i * kBytes), pieces[i]));
  ASSERT_EQ(backend_->submit(batch), 8);
  std::size_t done = 0;
  while (done < 8) {
    for (const Completion& completion : backend_->wait(1, {})) {
      EXPECT_EQ(completion.result, static_cast<std::int64_t>(kBytes));
      ++done;
    }
  }
  EXPECT_TRUE(test::holds(out, 0));
}

TEST_P(Conformance, MoreFilesThanATableHolds_IO1) {
  std::vector<Descriptor> files;
  std::vector<int> slots;
  for (std::int64_t i = 0; i < 150; ++i) {
    files.push_back(pattern_file(100, i));
    slots.push_back(backend_->attach(files.back().get()));
  }
  EXPECT_EQ(std::set<int>(slots.begin(), slots.end()).size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) EXPECT_TRUE(reads(slots[i], 100, static_cast<std::int64_t>(i))) << i;
  for (const int slot : slots) backend_->detach(slot);
}

TEST_P(Conformance, ASlotOfADetachedFileReadsTheNewOne_IO1) {
  for (std::int64_t i = 0; i < 200; ++i) {
    const Descriptor file = pattern_file(100, i);
    const int slot = backend_->attach(file.get());
    EXPECT_TRUE(reads(slot, 100, i)) << i;
    backend_->detach(slot);
  }
}

// Large ones: whoever carries them out may look their file up after it was detached.
TEST_P(Conformance, RequestsUnderWayGoToTheirFilesWhateverIsDetached_IO1) {
  constexpr std::int64_t kBytes = std::int64_t{256} * 1024;
  constexpr std::size_t kFiles = 8;
  const Descriptor other = pattern_file(kBytes, 99);
  std::vector<Descriptor> files;
  for (std::size_t i = 0; i < kFiles; ++i) files.push_back(pattern_file(kBytes, static_cast<std::int64_t>(i)));
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<std::vector<std::byte>> out(kFiles, std::vector<std::byte>(kBytes));
    std::vector<iovec> pieces;
    std::vector<int> others;
    for (auto& memory : out) pieces.push_back({memory.data(), memory.size()});
    for (std::size_t i = 0; i < kFiles; ++i) {
      const int slot = backend_->attach(files[i].get());
      const Request request = {.tag = i, .slot = slot, .offset = 0, .iovecs = {&pieces[i], 1}};
      ASSERT_EQ(backend_->submit({&request, 1}), 1);
      backend_->detach(slot);
      others.push_back(backend_->attach(other.get()));
    }
    for (std::size_t done = 0; done < kFiles;) {
      for (const Completion& completion : backend_->wait(1, {})) {
        EXPECT_EQ(completion.result, kBytes);
        EXPECT_TRUE(test::holds(out[completion.tag], 0, static_cast<std::int64_t>(completion.tag)));
        ++done;
      }
    }
    for (const int slot : others) backend_->detach(slot);
  }
}

TEST_P(Conformance, ADetachedFileIsHeldForWhatIsUnderWay_IO1) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  attach(fifo, O_RDWR);
  std::byte out{};
  const iovec piece = {&out, 1};
  const Request waiting = {.tag = 5, .slot = slot_, .offset = -1, .iovecs = {&piece, 1}};
  ASSERT_EQ(backend_->submit({&waiting, 1}), 1);
  backend_->detach(slot_);
  const Descriptor other = pattern_file(100, 3);
  const int slot = backend_->attach(other.get());
  EXPECT_TRUE(reads(slot, 100, 3));
  backend_->detach(slot);
  ASSERT_EQ(::write(file_.get(), "x", 1), 1);
  const auto done = backend_->wait(1, {});
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done.front().result, 1);
  EXPECT_EQ(out, std::byte{'x'});
}

TEST_P(Conformance, RegisteredMemoryIsReadIntoAsAnyOther_IO1) {
  const std::int64_t pinned = test::pinned_bytes();
  attach_direct(16 * kPage);
  test::Landing landing(16 * kPage);
  const std::span<std::byte> registered = landing.at(4 * kPage, 8 * kPage);
  backend_->register_memory(registered);
  for (const auto& [first, pages] : {std::pair<std::int64_t, std::int64_t>{4, 8},
                                     {5, 2},
                                     {4, 1},
                                     {11, 1},  // inside
                                     {3, 2},
                                     {11, 2},
                                     {2, 12},  // across
                                     {0, 4},
                                     {12, 4}}) {  // outside
    EXPECT_TRUE(lands(landing, first * kPage, pages * kPage)) << first << " + " << pages;
  }
  const std::array<iovec, 2> pieces = {iovec{landing.at(9 * kPage, kPage).data(), kPage},
                                       iovec{landing.at(5 * kPage, kPage).data(), kPage}};
  EXPECT_EQ(carry_out({.tag = 1, .slot = slot_, .offset = 0, .iovecs = pieces, .mode = Mode::direct}).result,
            2 * kPage);
  EXPECT_TRUE(test::holds(landing.at(9 * kPage, kPage), 0) && test::holds(landing.at(5 * kPage, kPage), kPage));
  backend_->unregister_memory(registered);
  EXPECT_EQ(test::pinned_bytes(), pinned);
  EXPECT_TRUE(lands(landing, 5 * kPage, 2 * kPage));
  backend_->unregister_memory(registered);  // that it is not is none of its business
  backend_->register_memory({});
}

TEST_P(Conformance, MoreMemoryThanATableHolds_IO1) {
  constexpr std::int64_t kRanges = 150;
  const std::int64_t pinned = test::pinned_bytes();
  attach_direct(kRanges * kPage);
  test::Landing landing(kRanges * kPage);
  for (int turn = 0; turn < 2; ++turn) {
    for (std::int64_t i = 0; i < kRanges; ++i) backend_->register_memory(landing.at(i * kPage, kPage));
    for (std::int64_t i = 0; i < kRanges; ++i) EXPECT_TRUE(lands(landing, i * kPage, kPage)) << i;
    EXPECT_TRUE(lands(landing, 0, kRanges * kPage)) << "over all of them";
    for (std::int64_t i = 0; i < kRanges; ++i) backend_->unregister_memory(landing.at(i * kPage, kPage));
    EXPECT_EQ(test::pinned_bytes(), pinned);
  }
}

TEST_P(Conformance, MemoryIsUnregisteredWhileItIsReadInto_IO1) {
  constexpr std::int64_t kBytes = 16 * kPage;
  constexpr std::size_t kAtOnce = 8;
  attach_direct(kAtOnce * kBytes);
  test::Landing landing(kAtOnce * kBytes);
  test::Landing other(kBytes);
  const std::int64_t pinned = test::pinned_bytes();
  for (int turn = 0; turn < 20; ++turn) {
    const std::span<std::byte> all = landing.at(0, kAtOnce * kBytes);
    std::ranges::fill(all, test::kPoison);
    backend_->register_memory(all);
    std::vector<iovec> pieces;
    std::vector<Request> batch;
    for (std::size_t i = 0; i < kAtOnce; ++i) pieces.push_back({all.data() + i * kBytes, kBytes});
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      batch.push_back(read(i, static_cast<std::int64_t>(i) * kBytes, pieces[i], Mode::direct));
    }
    ASSERT_EQ(backend_->submit(batch), static_cast<int>(kAtOnce));
    backend_->unregister_memory(all);
    backend_->register_memory(other.at(0, kBytes));
    for (std::size_t done = 0; done < kAtOnce;) {
      for (const Completion& completion : backend_->wait(1, {})) {
        EXPECT_EQ(completion.result, kBytes);
        ++done;
      }
    }
    EXPECT_TRUE(test::holds(all, 0));
    backend_->unregister_memory(other.at(0, kBytes));
    EXPECT_EQ(test::pinned_bytes(), pinned) << "the last request lets go of it";
  }
}

TEST_P(Conformance, WhatIsStillRegisteredGoesWithTheBackend_IO1) {
  const std::int64_t pinned = test::pinned_bytes();
  test::Landing landing(kPage);
  backend_->register_memory(landing.at(0, kPage));
  backend_.reset();
  EXPECT_EQ(test::pinned_bytes(), pinned);
}

TEST_P(Conformance, MemoryThatMayNotBeHeldIsReadIntoAllTheSame_IO1) {
  attach_direct(16 * kPage);
  for (const bool known_beforehand : {true, false}) {
    const LimitedMemory memory;
    if (!memory.holds()) GTEST_SKIP() << "CAP_IPC_LOCK cannot be put aside here, and with it nothing is refused";
    if (known_beforehand) memory.allow(16 * kPage);
    backend_ = make();
    if (backend_ == nullptr) GTEST_SKIP() << "others of this user hold all that the backend itself would need";
    if (!known_beforehand) memory.allow(0);
    slot_ = backend_->attach(file_.get());
    const std::int64_t pinned = test::pinned_bytes();
    test::Landing landing(16 * kPage);
    for (int turn = 0; turn < 2; ++turn) {
      backend_->register_memory(landing.at(0, 8 * kPage));
      EXPECT_EQ(test::pinned_bytes(), pinned);
      EXPECT_TRUE(lands(landing, 2 * kPage, 4 * kPage));
      EXPECT_TRUE(lands(landing, 6 * kPage, 4 * kPage));
      backend_->unregister_memory(landing.at(0, 8 * kPage));
    }
  }
}

TEST_P(Conformance, DirectReadsOfAlignedMemory_IO42) {
  constexpr std::int64_t kBytes = 4 * kRequest + 777;
  attach(dir_.write("f", test::pattern(kBytes)), O_RDONLY | O_DIRECT);
  if (!file_.valid()) GTEST_SKIP() << "no direct I/O here";
  const Pages pages(2 * kRequest, "off", 0);
  const iovec piece = {pages.bytes().data(), kRequest};
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{4096}, kRequest}) {
    ASSERT_EQ(carry_out(read(1, offset, piece, Mode::direct)).result, kRequest);
    EXPECT_TRUE(test::holds(pages.bytes().first(kRequest), offset));
  }
  EXPECT_EQ(carry_out(read(2, 4 * kRequest, piece, Mode::direct)).result, 777) << "up to the end of file";
  EXPECT_TRUE(test::holds(pages.bytes().first(777), 4 * kRequest));
  // Off the alignment: refused, or read all the same.
  const std::int64_t off = carry_out(read(3, 1, piece, Mode::direct)).result;
  EXPECT_TRUE(off == -EINVAL || off == kRequest) << off;
  const iovec skewed = {pages.bytes().data() + 1, kRequest};
  const std::int64_t askew = carry_out(read(4, 0, skewed, Mode::direct)).result;
  EXPECT_TRUE(askew == -EINVAL || askew == kRequest) << askew;
}

TEST_P(Conformance, UncachedReadsAreBufferedOrRefused_IO42) {
  attach(dir_.write("f", test::pattern(3 * kRequest)));
  std::vector<std::byte> out(kRequest);
  const iovec piece = {out.data(), out.size()};
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{777}, 3 * kRequest - 10}) {
    const std::int64_t wanted = std::min(kRequest, 3 * kRequest - offset);
    const std::int64_t result = carry_out(read(1, offset, piece, Mode::uncached)).result;
    if (result == -EOPNOTSUPP || result == -EINVAL) GTEST_SKIP() << "the kernel or the file system has no such reads";
    ASSERT_EQ(result, wanted);
    EXPECT_TRUE(test::holds(std::span(out).first(static_cast<std::size_t>(wanted)), offset));
  }
}

TEST_P(Conformance, OneRangeOfMoreThan2GiB_C095) {
  if (kIsThreadSanitizer) GTEST_SKIP() << "it remembers several bytes for each";
  constexpr std::int64_t kEdge = std::int64_t{4} << 20;
  constexpr std::int64_t kRange = (std::int64_t{2200} * 1000 * 1000) / kEdge * kEdge + kEdge;
  // A hole but for its ends.
  const std::string path = dir_.write("f", test::pattern(kEdge));
  const std::vector<std::byte> end = test::pattern(kEdge, 1);
  const Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::pwrite(out.get(), end.data(), end.size(), kRange - kEdge), kEdge);
  const std::vector<InputFile> files = {test::input(path)};
  const WideMemory target(kRange, kEdge);
  EngineSettings settings;
  settings.request_bytes = kMaxRequestBytes;
  settings.depth = 2;
  settings.direct = "on";  // else the page cache fills with zeros
  settings.mapped = "off";
  const Opener opener;
  Ledger ledger(kEdge);
  auto engine = Engine::make(settings, opener, ledger, std::move(backend_));
  ASSERT_TRUE(engine.ok());
  test::ListSource source({{0, 0, target.bytes()}});
  const Status status = (*engine)->run(files, source, {});
  ASSERT_TRUE(status.ok()) << describe(status.failure());
  EXPECT_TRUE(source.each_done_once());
  EXPECT_GE((*engine)->take_stats().bytes_read, kRange);
  EXPECT_TRUE(test::holds(target.bytes().first(kEdge), 0));
  const std::span<const std::byte> last = target.bytes().last(kEdge);
  EXPECT_TRUE(std::equal(last.begin(), last.end(), end.begin()));
}

/// The disk of the working directory, and memory where there is such a file system.
std::vector<std::string> places() {
  std::vector<std::string> found = {"."};
  if (::access("/dev/shm", W_OK | X_OK) == 0) found.emplace_back("/dev/shm");
  return found;
}

std::string name_of(const testing::TestParamInfo<Case>& row) {
  return std::get<0>(row.param).name + (std::get<1>(row.param) == "." ? "_on_disk" : "_in_memory");
}

auto everywhere(const BackendMaker& backend) {
  return testing::Combine(testing::Values(backend), testing::ValuesIn(places()));
}

INSTANTIATE_TEST_SUITE_P(Posix, Conformance, everywhere({"posix", make_posix}), name_of);
#if LOADSTONE_WITH_URING
INSTANTIATE_TEST_SUITE_P(Uring, Conformance, everywhere({"uring", make_uring}), name_of);
#endif

}  // namespace
}  // namespace loadstone::io
