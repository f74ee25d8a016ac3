#include "core/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/caches.hpp"
#include "support/seed.hpp"

namespace loadstone {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::byte kUntouched{0xA5};

Bytes random_bytes(std::mt19937_64& random, std::size_t n) {
  Bytes bytes(n);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// Every set that this machine can run; each equals the byte loop (IO-32).
class Kernels : public testing::TestWithParam<KernelEntry> {
 protected:
  [[nodiscard]] const CopyKernels& kernels() const { return *GetParam().kernels; }
  std::mt19937_64 random_ = test::generator();
  testing::ScopedTrace note_{__FILE__, __LINE__, test::seed_note()};
};

TEST_P(Kernels, IO32StreamEqualsTheByteLoopAtEveryLengthAndAlignment) {
  const Bytes source = random_bytes(random_, 1025 + 64);
  Bytes target(1025 + 192);
  for (std::size_t n = 0; n <= 1025; ++n) {
    const std::size_t from = n % 64;
    for (const std::size_t to : {std::size_t{0}, (n * 7 + 1) % 64, (n * 11 + 32) % 64, std::size_t{63}}) {
      std::fill(target.begin(), target.end(), kUntouched);
      Bytes wanted = target;
      std::copy_n(source.data() + from, n, wanted.data() + 64 + to);
      kernels().stream(target.data() + 64 + to, source.data() + from, n);
      kernels().fence();
      ASSERT_EQ(target, wanted) << n << " bytes from " << from << " to " << to;
    }
  }
}

TEST_P(Kernels, IO32StreamEqualsTheByteLoopFromEachToEachPlaceInALine) {
  const Bytes source = random_bytes(random_, 400 + 64);
  for (std::size_t from = 0; from < 64; ++from) {
    for (std::size_t to = 0; to < 64; ++to) {
      const std::size_t n = 100 + from * 3 + to;
      Bytes target(n + 192, kUntouched);
      Bytes wanted = target;
      std::copy_n(source.data() + from, n, wanted.data() + to);
      kernels().stream(target.data() + to, source.data() + from, n);
      kernels().fence();
      ASSERT_EQ(target, wanted) << n << " bytes from " << from << " to " << to;
    }
  }
}

/// Runs of every length at random places: `copy` is given target, target stride, source, source stride, run, n.
template <class Copy>
void expect_runs_move(std::mt19937_64& random, std::size_t longest, const Copy& copy) {
  for (std::size_t run = 0; run <= longest; ++run) {
    const std::size_t n = run % 7;
    const auto source_stride = static_cast<std::int64_t>(run) + test::pick(random, 0, 1) * test::pick(random, 0, 70);
    const auto target_stride = static_cast<std::int64_t>(run) + test::pick(random, 0, 1) * test::pick(random, 0, 70);
    const auto to = static_cast<std::size_t>(test::pick(random, 0, 63));
    const Bytes source = random_bytes(random, 7 * (longest + 80));
    Bytes target(7 * (longest + 80) + 64, kUntouched);
    Bytes wanted = target;
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(source.data() + static_cast<std::int64_t>(i) * source_stride, run,
                  wanted.data() + to + static_cast<std::int64_t>(i) * target_stride);
    }
    copy(target.data() + to, target_stride, source.data(), source_stride, run, n);
    ASSERT_EQ(target, wanted) << n << " runs of " << run;
  }
}

TEST_P(Kernels, IO32RunsEqualTheByteLoopAtEveryLength) { expect_runs_move(random_, 300, kernels().runs); }

TEST_P(Kernels, IO32StreamedRunsEqualTheByteLoopAtEveryLength) {
  expect_runs_move(random_, 1025, [&](auto... arguments) {
    kernels().stream_runs(arguments..., {});
    kernels().fence();
  });
}

TEST_P(Kernels, IO32WhatIsReadAheadChangesNothing) {
  const Bytes later = random_bytes(random_, 4096);
  std::vector<const std::byte*> lines;
  for (std::size_t i = 0; i < 20; ++i) lines.push_back(later.data() + i * 131);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, std::size_t{200}}) {
    expect_runs_move(random_, 300, [&](auto... arguments) {
      kernels().stream_runs(arguments..., {lines, bytes});
      kernels().fence();
    });
  }
}

TEST_P(Kernels, IO32SwapEqualsTheByteLoopForEveryWord) {
  for (const std::size_t unit : {2U, 3U, 4U, 5U, 8U, 10U, 16U}) {
    for (std::size_t bytes = 0; bytes <= 1025; bytes += unit) {
      const auto from = static_cast<std::size_t>(test::pick(random_, 0, 63));
      const Bytes source = random_bytes(random_, bytes + 64);
      Bytes target(bytes + 64, kUntouched);
      Bytes wanted = target;
      const std::size_t to = 64 - from;
      for (std::size_t at = 0; at < bytes; at += unit) {
        std::reverse_copy(source.data() + from + at, source.data() + from + at + unit, wanted.data() + to + at);
      }
      kernels().swap(target.data() + to, source.data() + from, bytes, unit);
      ASSERT_EQ(target, wanted) << bytes << " bytes in words of " << unit;
      Bytes same = source;
      kernels().swap(same.data() + from, same.data() + from, bytes, unit);
      ASSERT_TRUE(std::equal(same.data() + from, same.data() + from + bytes, wanted.data() + to)) << "in place";
    }
  }
}

TEST_P(Kernels, IO32TransposeEqualsTheByteLoopForEveryItem) {
  for (int round = 0; round < 600; ++round) {
    const std::size_t item = std::size_t{1} << test::pick(random_, 0, 4);
    const auto rows = static_cast<std::size_t>(test::pick(random_, 0, 70));
    const auto columns = static_cast<std::size_t>(test::pick(random_, 0, 150));
    const std::size_t pitch = columns * item + static_cast<std::size_t>(test::pick(random_, 0, 40));
    const std::size_t length = rows * item + static_cast<std::size_t>(test::pick(random_, 0, 40));
    const Bytes source = random_bytes(random_, columns * length + 1);
    std::vector<const std::byte*> lines;
    for (std::size_t column = 0; column < columns; ++column) lines.push_back(source.data() + column * length);
    std::shuffle(lines.begin(), lines.end(), random_);
    Bytes target(rows * pitch + 64, kUntouched);
    Bytes wanted = target;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        std::copy_n(lines[column] + row * item, item, wanted.data() + row * pitch + column * item);
      }
    }
    kernels().transpose(target.data(), pitch, lines.data(), item, rows, columns);
    ASSERT_EQ(target, wanted) << rows << " rows, " << columns << " columns of " << item;
  }
}

TEST_P(Kernels, IO32TransposeEqualsTheByteLoopWhereLinesCrowdACache) {
  for (const std::size_t item : {1U, 2U, 4U, 8U, 16U}) {
    for (const std::size_t apart : {1024U, 2048U, 4096U, 8192U}) {
      const std::size_t columns = 67;
      const std::size_t rows = static_cast<std::size_t>(test::pick(random_, 1, 500)) / item + 1;
      const Bytes source = random_bytes(random_, columns * apart + rows * item);
      std::vector<const std::byte*> lines;
      for (std::size_t column = 0; column < columns; ++column) lines.push_back(source.data() + column * apart);
      Bytes target(rows * columns * item, kUntouched);
      Bytes wanted = target;
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
          std::copy_n(lines[column] + row * item, item, wanted.data() + (row * columns + column) * item);
        }
      }
      kernels().transpose(target.data(), columns * item, lines.data(), item, rows, columns);
      ASSERT_EQ(target, wanted) << rows << " rows of " << item << ", " << apart << " apart";
    }
  }
}

#if defined(__x86_64__)
/// Whether a wide register has something in its upper half.
bool wide_registers_are_in_use() {
  alignas(32) std::array<std::array<std::uint64_t, 4>, 16> registers;
  __asm__ volatile(
      "vmovdqa %%ymm0, 0(%0)\n vmovdqa %%ymm1, 32(%0)\n vmovdqa %%ymm2, 64(%0)\n vmovdqa %%ymm3, 96(%0)\n"
      "vmovdqa %%ymm4, 128(%0)\n vmovdqa %%ymm5, 160(%0)\n vmovdqa %%ymm6, 192(%0)\n vmovdqa %%ymm7, 224(%0)\n"
      "vmovdqa %%ymm8, 256(%0)\n vmovdqa %%ymm9, 288(%0)\n vmovdqa %%ymm10, 320(%0)\n vmovdqa %%ymm11, 352(%0)\n"
      "vmovdqa %%ymm12, 384(%0)\n vmovdqa %%ymm13, 416(%0)\n vmovdqa %%ymm14, 448(%0)\n vmovdqa %%ymm15, 480(%0)\n"
      :
      : "r"(registers.data())
      : "memory");
  return std::any_of(registers.begin(), registers.end(), [](const auto& each) { return each[2] != 0 || each[3] != 0; });
}

// Code for older processors pays a change of state at each call that leaves one in use.
TEST_P(Kernels, NoWideRegisterIsLeftInUse) {
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "this processor has none";
  const Bytes source = random_bytes(random_, 8192);
  std::vector<const std::byte*> lines;
  for (std::size_t i = 0; i < 64; ++i) lines.push_back(source.data() + i * 64);
  alignas(64) std::array<std::byte, 8192> target{};
  for (const std::size_t n : {64U, 100U, 256U, 4096U}) {
    kernels().stream(target.data(), source.data(), n);
    EXPECT_FALSE(wide_registers_are_in_use()) << "stream of " << n;
    kernels().runs(target.data(), 0, source.data(), 0, n, 1);
    EXPECT_FALSE(wide_registers_are_in_use()) << "run of " << n;
    kernels().stream_runs(target.data(), 0, source.data(), 0, n, 1, {});
    EXPECT_FALSE(wide_registers_are_in_use()) << "streamed run of " << n;
  }
  for (const std::size_t item : {1U, 2U, 4U, 8U, 16U}) {
    kernels().transpose(target.data(), 64, lines.data(), item, 64 / item, 64 / item);
    EXPECT_FALSE(wide_registers_are_in_use()) << "items of " << item;
    kernels().swap(target.data(), source.data(), 1024, item);
    EXPECT_FALSE(wide_registers_are_in_use()) << "words of " << item;
  }
}
#endif

TEST_P(Kernels, IO32CopyBytesEqualsMemcpyOnBothSidesOfTheThresholds) {
  const std::size_t fenced = kFencedBytes;
  const std::size_t cached = static_cast<std::size_t>(stream_total_bytes());
  const std::size_t most = fenced + 4096;
  const Bytes source = random_bytes(random_, most + 64);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, fenced - 1, fenced, most}) {
    for (const std::size_t total : {n, cached, cached + 1}) {
      Bytes target(most + 64, kUntouched);
      copy_bytes(target.data() + 33, source.data() + 5, n, total, kernels());
      ASSERT_TRUE(std::equal(source.data() + 5, source.data() + 5 + n, target.data() + 33));
      ASSERT_EQ(target[32], kUntouched);
      ASSERT_EQ(target[33 + n], kUntouched);
    }
  }
}

std::vector<KernelEntry> usable_sets() {
  std::vector<KernelEntry> sets;
  for (const KernelEntry& entry : kernel_table()) {
    if (entry.usable) sets.push_back(entry);
  }
  return sets;
}

INSTANTIATE_TEST_SUITE_P(EverySet, Kernels, testing::ValuesIn(usable_sets()),
                         [](const auto& set) { return std::string(set.param.name); });

TEST(KernelTable, IO32ListsEverySetAndTheBestIsUsable) {
  std::vector<std::string_view> names;
  for (const KernelEntry& entry : kernel_table()) {
    names.push_back(entry.name);
    EXPECT_FALSE(entry.reason.empty());
    EXPECT_EQ(find_kernels(entry.name), entry.usable ? entry.kernels : nullptr);
    if (entry.kernels != nullptr) {
      EXPECT_EQ(entry.kernels->name, entry.name);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"generic", "sse2", "avx2", "avx512", "neon"}));
  EXPECT_TRUE(kernel_table().front().usable);
  EXPECT_EQ(find_kernels(best_kernels().name), &best_kernels());
  EXPECT_EQ(find_kernels("mmx"), nullptr);
}

TEST(StreamTotalBytes, HoldsWhatTheCachesOfACoreHold) {
  EXPECT_GE(stream_total_bytes(), std::int64_t{64} << 10);
  EXPECT_GE(stream_total_bytes(), cache_bytes(2));
  EXPECT_LE(stream_total_bytes(), std::int64_t{16} << 20) << "more than any core's own caches";
  EXPECT_EQ(stream_total_bytes(), stream_total_bytes());
  if (cache_bytes(2) > 0) {
    EXPECT_EQ(cache_bytes(2) % 4096, 0);
  }
  if (cache_bytes(3) > 0) {
    EXPECT_GE(cache_bytes(3), cache_bytes(2) / 2);
  }
}

}  // namespace
}  // namespace loadstone
