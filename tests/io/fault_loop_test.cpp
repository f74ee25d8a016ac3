// Fail call n, once and for ever, with every errno of io.md section 8, on every backend, until a run ends clean
// (IO-43).
#include "engine_support.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace loadstone::io {
namespace {

using test::ListSource;
using test::TempDir;

constexpr std::int64_t kFile = std::int64_t{96} * 1024;
constexpr std::int64_t kRead = 5000;
constexpr std::int64_t kFiles = 3;

std::int64_t runs_wanted() {
  const char* const text = std::getenv("LOADSTONE_FAULT_RUNS");
  return text == nullptr ? 5000 : std::strtoll(text, nullptr, 10);
}

struct Injected {
  int error;
  bool survives_once;
  std::array<Code, 2> codes;  // what may be reported if it does not survive
};

constexpr Injected kFaults[] = {
    {EINTR, true, {Code::deadline, Code::deadline}},
    {EAGAIN, true, {Code::deadline, Code::deadline}},
    {ENOBUFS, true, {Code::deadline, Code::deadline}},
    {EINVAL, false, {Code::io, Code::io}},
    {EIO, false, {Code::io, Code::io}},
    {ENXIO, false, {Code::io, Code::io}},
    {EREMOTEIO, false, {Code::io, Code::io}},
    {EOVERFLOW, false, {Code::io, Code::io}},
    {ESTALE, true, {Code::io, Code::changed}},
    {EACCES, false, {Code::io, Code::io}},
    {ENOMEM, true, {Code::io, Code::io}},
};

class FaultLoop : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!test::is_usable(GetParam())) GTEST_SKIP() << GetParam() << " cannot be used here";
    for (std::int64_t i = 0; i < kFiles; ++i) {
      files_.push_back(test::input(dir_.write("f" + std::to_string(i), test::pattern(kFile, i)), i));
    }
    memory_.resize(static_cast<std::size_t>(kFiles * kFile));
  }

  std::vector<Read> reads() {
    std::vector<Read> list;
    for (std::int64_t f = 0; f < kFiles; ++f) {
      for (std::int64_t at = 0; at < kFile; at += kRead) {
        const std::int64_t size = std::min(kRead, kFile - at);
        list.push_back(
            {f, at,
             std::span(memory_).subspan(static_cast<std::size_t>(f * kFile + at), static_cast<std::size_t>(size))});
      }
    }
    return list;
  }

  /// Returns the number of calls the run made.
  std::int64_t run(const Injected& fault, std::int64_t n, bool for_ever, const std::string& direct) {
    std::fill(memory_.begin(), memory_.end(), test::kPoison);
    std::int64_t calls = 0;
    EngineSettings settings;
    settings.direct = direct;
    settings.mapped = "off";
    settings.request_bytes = 16 * 1024;
    settings.depth = 4;
    Interrupt interrupt;
    interrupt.deadline_s = for_ever ? 0.01 : 10;
    auto engine = Engine::make(settings, opener_, ledger_,
                               std::make_unique<test::FailingBackend>(make_backend(GetParam(), 8, nullptr).value(), n,
                                                                      fault.error, for_ever, calls));
    ListSource source(reads());
    const Status status = (*engine)->run(files_, source, interrupt);
    check(status, source, fault, for_ever, calls > n);
    engine->reset();
    EXPECT_EQ(ledger_.held_bytes(), 0);
    return calls;
  }

  void check(const Status& status, const ListSource& source, const Injected& fault, bool for_ever, bool reached) {
    if (status.ok()) {
      EXPECT_TRUE(source.each_done_once());
      for (std::int64_t f = 0; f < kFiles; ++f) {
        ASSERT_TRUE(test::holds(std::span(memory_).subspan(static_cast<std::size_t>(f * kFile), kFile), 0, f));
      }
      return;
    }
    // On a busy machine a deadline this short comes by itself.
    if (for_ever && status.code() == Code::deadline) return;
    EXPECT_TRUE(reached);
    EXPECT_TRUE(for_ever || !fault.survives_once) << "a single one is survived";
    const Code code = status.code();
    EXPECT_TRUE(code == fault.codes[0] || code == fault.codes[1]) << describe(status.failure());
  }

  TempDir dir_{"."};
  Opener opener_;
  Ledger ledger_{64 << 20};
  std::vector<InputFile> files_;
  std::vector<std::byte> memory_;
};

INSTANTIATE_TEST_SUITE_P(, FaultLoop, testing::Values("posix", "uring"), [](const auto& p) { return p.param; });

TEST_P(FaultLoop, EveryCallEveryErrno_IO43) {
  const std::int64_t descriptors = test::open_descriptors();
  std::int64_t runs = 0;
  for (std::int64_t n = 0; runs < runs_wanted() / 2; ++n) {
    bool any_reached = false;
    for (const Injected& fault : kFaults) {
      for (const bool for_ever : {false, true}) {
        for (const char* direct : {"off", "on"}) {
          SCOPED_TRACE(testing::Message() << "call " << n << " errno " << fault.error
                                          << (for_ever ? " for ever" : " once") << " direct=" << direct);
          any_reached |= run(fault, n, for_ever, direct) > n;
          ASSERT_FALSE(HasFailure());
          ++runs;
        }
      }
    }
    if (!any_reached) n = -1;  // every call of a run has failed once: go round again, other interleavings come up
  }
  EXPECT_EQ(test::open_descriptors(), descriptors);
}

}  // namespace
}  // namespace loadstone::io
