// Direct reads at every start, size, end of file and alignment (IO-18), from a device that refuses what is not aligned.
#include "engine_support.hpp"
#include "run_support.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

namespace loadstone::io {
namespace {

using test::ListSource;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kPage = 4096;

/// Reads one file from memory, at once, and only as aligned as the facts say.
class AligningDevice final : public Backend {
 public:
  AligningDevice(std::span<const std::byte> file, const FsFacts& facts) : file_(file), facts_(facts) {}

  int submit(std::span<const Request> requests) override {
    for (const Request& request : requests) done_.push_back({request.tag, carry_out(request)});
    return static_cast<int>(requests.size());
  }
  std::span<const Completion> wait(int, const Interrupt&) override {
    returned_.swap(done_);
    done_.clear();
    return returned_;
  }
  void cancel(std::uint64_t) override {}
  std::vector<std::uint64_t> close(const Interrupt&) override { return {}; }

 private:
  [[nodiscard]] bool is_aligned(const Request& request) const {
    bool aligned = request.mode == Mode::direct && request.offset % facts_.offset_align == 0;
    for (const iovec& piece : request.iovecs) {
      aligned &=
          reinterpret_cast<std::uintptr_t>(piece.iov_base) % static_cast<std::uintptr_t>(facts_.memory_align) == 0;
      aligned &= piece.iov_len % static_cast<std::size_t>(facts_.offset_align) == 0;
    }
    return aligned;
  }

  [[nodiscard]] std::int64_t carry_out(const Request& request) const {
    if (!is_aligned(request)) return -EINVAL;
    std::span<const std::byte> rest = file_.subspan(std::min(file_.size(), static_cast<std::size_t>(request.offset)));
    std::int64_t bytes = 0;
    for (const iovec& piece : request.iovecs) {
      const std::size_t take = std::min(piece.iov_len, rest.size());
      std::memcpy(piece.iov_base, rest.data(), take);
      rest = rest.subspan(take);
      bytes += static_cast<std::int64_t>(take);
    }
    return bytes;
  }

  std::span<const std::byte> file_;
  FsFacts facts_;
  std::vector<Completion> done_;
  std::vector<Completion> returned_;
};

struct Alignment {
  std::int64_t offset;
  std::int64_t memory;
};

class AlignmentTest : public testing::TestWithParam<Alignment> {
 protected:
  AlignmentTest() {
    facts_.fs_class = FsClass::local;
    facts_.dio_known = true;
    facts_.offset_align = GetParam().offset;
    facts_.memory_align = GetParam().memory;
  }

  /// The file's bytes come from the device; of the file itself only its identity is looked at, so it may be a hole.
  void make_file(std::int64_t bytes) {
    bytes_ = test::pattern(bytes);
    const std::string path = dir_.write("f", "");
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes));
    files_ = {test::input(path)};
  }

  void read(const std::vector<Read>& reads) {
    test::RunBench bench;
    bench.settings.direct = "require";
    bench.settings.huge_pages = "off";
    bench.gate = FsGate::always(facts_);
    AligningDevice device(bytes_, facts_);
    ListSource source(reads);
    const Status status = bench.carry_out(files_, source, device);
    ASSERT_TRUE(status.ok()) << describe(status.failure());
    EXPECT_TRUE(source.each_done_once());
    for (const Read& read : reads) {
      const auto* const wanted = bytes_.data() + read.offset;
      ASSERT_EQ(std::memcmp(read.destination.data(), wanted, read.destination.size()), 0)
          << read.destination.size() << " bytes at " << read.offset;
    }
    in_place_ = bench.counters.bytes_in_place;
  }

  /// One read of this size for each start, each in a block of its own and further apart than a gap that is read over.
  void read_at_starts(std::int64_t size, std::span<const std::int64_t> starts, std::int64_t skew) {
    const std::int64_t stride = (size + kPage - 1) / kPage * kPage + 3 * kPage;
    ASSERT_LE(stride * std::ssize(starts), std::ssize(bytes_));
    const std::int64_t room = (size + kPage - 1) / kPage * kPage;
    test::Landing landing(room * std::ssize(starts), skew);
    std::vector<Read> reads;
    for (std::int64_t i = 0; i < std::ssize(starts); ++i) {
      reads.push_back({0, i * stride + starts[static_cast<std::size_t>(i)], landing.at(i * room, size)});
    }
    read(reads);
  }

  test::TempDir dir_;
  FsFacts facts_;
  std::vector<std::byte> bytes_;
  std::vector<InputFile> files_;
  std::int64_t in_place_ = 0;
};

std::vector<Alignment> alignments() {
  std::vector<Alignment> all;
  for (const std::int64_t offset : {4, 512, 4096, 65536}) {
    for (const std::int64_t memory : {4, 512, 4096, 65536}) all.push_back({offset, memory});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, AlignmentTest, testing::ValuesIn(alignments()), [](const auto& row) {
  return "offset_" + std::to_string(row.param.offset) + "_memory_" + std::to_string(row.param.memory);
});

TEST_P(AlignmentTest, EveryStartOfSmallReads_C104_IO18) {
  std::vector<std::int64_t> starts(4096);
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<std::int64_t>(i);
  make_file(kPage * 5 * kPage);
  for (const std::int64_t size : {1, 511, 512, 513, 4095, 4096, 4097}) read_at_starts(size, starts, size % 64);
}

TEST_P(AlignmentTest, ManyStartsOfLargeReads_C104_IO18) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  std::vector<std::int64_t> starts = {0, 1, 4, 511, 512, 513, 1024, 4092, 4095};
  while (starts.size() < 16) starts.push_back(test::pick(random, 0, 4095));
  make_file(16 * (kMiB + 5 * kPage));
  for (const std::int64_t size : {kMiB - 1, kMiB, kMiB + 1}) {
    for (const std::int64_t skew : {0, 4, 64, 513}) read_at_starts(size, starts, skew);
  }
}

TEST_P(AlignmentTest, FilesThatEndAnywhere_IO18) {  // DeepSpeed#1070
  for (const std::int64_t pages : {0, 1, 2, 17, 33}) {
    for (const std::int64_t more : {0, 1, 511, 512}) {
      const std::int64_t bytes = pages * kPage + more;
      if (bytes == 0) continue;
      make_file(bytes);
      test::Landing landing(bytes, more % 64);
      read({{0, 0, landing.at(0, bytes)}});
      read({{0, bytes - 1, landing.at(0, 1)}});
      read({{0, bytes / 2, landing.at(0, bytes - bytes / 2)}});
    }
  }
}

TEST_P(AlignmentTest, WhatLiesRightLandsInPlace_IO18) {
  constexpr std::int64_t kBytes = 4 * kMiB;
  make_file(kBytes);
  const Pages target(kBytes, "auto", 0);
  read({{0, 0, target.bytes()}});
  EXPECT_EQ(in_place_, kBytes);
}

}  // namespace
}  // namespace loadstone::io
