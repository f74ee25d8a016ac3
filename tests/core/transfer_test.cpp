#include "core/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "support/seed.hpp"

namespace loadstone {
namespace {

/// One element at a time, in the order of the axes.
template <class Visit>
void for_each_element(const std::vector<CopyAxis>& axes, const Visit& visit) {
  std::vector<std::int64_t> at(axes.size(), 0);
  while (true) {
    std::int64_t source = 0;
    std::int64_t target = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      source += at[i] * axes[i].source_stride;
      target += at[i] * axes[i].target_stride;
    }
    visit(source, target);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == axes[axis - 1].count) at[--axis] = 0;
    if (axis == 0) return;
  }
}

/// Random extents with the source dense in one order of the axes and the target in another; now and then with gaps.
std::vector<CopyAxis> random_axes_of(std::mt19937_64& random, std::size_t ndim, std::int64_t source_item,
                                     std::int64_t target_item) {
  std::vector<CopyAxis> axes(ndim);
  for (CopyAxis& axis : axes) axis.count = test::pick(random, 1, ndim > 4 ? 3 : 7);
  if (ndim > 0 && ndim < 4 && test::pick(random, 0, 3) == 0) axes[0].count = test::pick(random, 1, 1200);
  if (ndim > 1 && ndim < 4 && test::pick(random, 0, 3) == 0) axes[1].count = test::pick(random, 1, 70);
  const bool gaps = test::pick(random, 0, 3) == 0;
  std::vector<std::size_t> order(ndim);
  std::iota(order.begin(), order.end(), 0U);
  const auto dense = [&](std::int64_t item, std::int64_t CopyAxis::* stride) {
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = item;
    for (const std::size_t axis : order) {
      if (gaps && test::pick(random, 0, 2) == 0) step += item * test::pick(random, 0, 2);
      axes[axis].*stride = step;
      step *= axes[axis].count;
    }
  };
  dense(source_item, &CopyAxis::source_stride);
  dense(target_item, &CopyAxis::target_stride);
  return axes;
}

std::vector<CopyAxis> random_axes(std::mt19937_64& random, std::int64_t source_item, std::int64_t target_item) {
  return random_axes_of(random, static_cast<std::size_t>(test::pick(random, 0, 8)), source_item, target_item);
}

std::int64_t elements(const std::vector<CopyAxis>& axes) {
  std::int64_t n = 1;
  for (const CopyAxis& axis : axes) n *= axis.count;
  return n;
}

/// Bytes from the first element to the end of the last.
std::size_t reach(const std::vector<CopyAxis>& axes, std::int64_t CopyAxis::* stride, std::int64_t item) {
  for (const CopyAxis& axis : axes) item += (axis.count - 1) * axis.*stride;
  return static_cast<std::size_t>(item);
}

std::vector<const CopyKernels*> usable_kernels() {
  std::vector<const CopyKernels*> usable;
  for (const KernelEntry& entry : kernel_table()) {
    if (entry.usable) usable.push_back(entry.kernels);
  }
  return usable;
}

/// As shipped, and by ways that only other sizes would go.
std::vector<CopyThresholds> ways_of_all_sizes() {
  CopyThresholds past_cache;
  past_cache.stream_total_bytes = 0;
  past_cache.fenced_bytes = 0;
  CopyThresholds short_streams = past_cache;
  short_streams.stream_run_bytes = 1;
  short_streams.gathered_run_bytes = 1;
  short_streams.tile_side_bytes = 512;
  CopyThresholds long_rows = past_cache;
  long_rows.gathered_run_bytes = 1 << 20;
  CopyThresholds no_tiles = past_cache;
  no_tiles.tiled_run_bytes = 0;
  CopyThresholds all_tiles = past_cache;
  all_tiles.tiled_run_bytes = 1 << 20;
  all_tiles.tile_side_bytes = 64;
  return {CopyThresholds{}, past_cache, short_streams, long_rows, no_tiles, all_tiles};
}

/// Bits by every set of kernels and every way, compared with one element after the other.
void expect_bits_move(std::mt19937_64& random, const DType& dtype, const std::vector<CopyAxis>& axes,
                      std::int64_t total_bytes = 0) {
  const auto skew = static_cast<std::size_t>(test::pick(random, 0, 63));
  std::vector<std::byte> source(reach(axes, &CopyAxis::source_stride, dtype.itemsize) + 64);
  for (std::byte& byte : source) byte = static_cast<std::byte>(random());
  const std::vector<std::byte> untouched(reach(axes, &CopyAxis::target_stride, dtype.itemsize) + 64, std::byte{0xA5});
  std::vector<std::byte> wanted = untouched;
  const std::int64_t unit = dtype.is_native() ? 1 : dtype.swap_unit();
  for_each_element(axes, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t word = 0; word < dtype.itemsize; word += unit) {
      const std::byte* const at = source.data() + skew + from + word;
      std::reverse_copy(at, at + unit, wanted.data() + (64 - skew) + to + word);
    }
  });
  for (const CopyKernels* const kernels : usable_kernels()) {
    for (const CopyThresholds& thresholds : ways_of_all_sizes()) {
      std::vector<std::byte> target = untouched;
      const auto lost = copy_elements(source.data() + skew, dtype, target.data() + (64 - skew), dtype.native(), axes,
                                      Casting::lossless, {kernels, total_bytes, thresholds});
      ASSERT_FALSE(lost);
      ASSERT_TRUE(target == wanted) << kernels->name << " " << dtype.str();
    }
  }
}

/// Of every itemsize from 1 to 16, swapped or not, and longer ones.
DType random_dtype(std::mt19937_64& random) {
  static const std::vector<std::string> types = {
      "|u1",  "<i2",  ">i2", "<f4",    ">f4",  "<f8",  ">f8",  ">c16", "<c8",   ">c8",   "|S3",
      ">U2",  "|V5",  "|V6", "|V7",    "|V9",  "|V10", "|S11", "<U3",  ">U3",   "|V13",  "|V14",
      "|V15", "|V16", "<U4", ">M8[s]", "|S24", "|V33", "|V64", ">U17", "|S255", "|S256", ">U70"};
  return *parse_dtype(
      types[static_cast<std::size_t>(test::pick(random, 0, static_cast<std::int64_t>(types.size()) - 1))]);
}

TEST(Transfer, IO32EqualsTheElementLoopForEveryItemsizeAndOrder) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const DType dtype = random_dtype(random);
    expect_bits_move(random, dtype, random_axes(random, dtype.itemsize, dtype.itemsize));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Transfer, IO32EveryItemsizeInEveryNumberOfAxes) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (std::int64_t itemsize = 1; itemsize <= 16; ++itemsize) {
    const DType dtype = *parse_dtype("|V" + std::to_string(itemsize));
    for (std::size_t ndim = 1; ndim <= 8; ++ndim) {
      SCOPED_TRACE(ndim);
      expect_bits_move(random, dtype, random_axes_of(random, ndim, itemsize, itemsize));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Transfer, IO32EveryLengthOfOneRow) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (std::int64_t n = 1; n <= 1025; ++n) {
    const DType dtype = *parse_dtype(n % 2 == 0 ? "|u1" : ">u2");
    SCOPED_TRACE(n);
    expect_bits_move(random, dtype, {{n, dtype.itemsize, dtype.itemsize}});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Transfer, IO32PayloadsOfNanSurvive) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  constexpr std::uint32_t kSignalling = 0x7F800000;
  constexpr std::int64_t kSide = 40;
  std::vector<std::uint32_t> source(kSide * kSide);
  for (std::uint32_t& bits : source) {
    bits = kSignalling | static_cast<std::uint32_t>(test::pick(random, 1, 0x7FFFFF) | test::pick(random, 0, 1) << 31);
  }
  for (const char* const type : {"<f4", ">f4"}) {
    const DType dtype = *parse_dtype(type);
    for (const CopyKernels* const kernels : usable_kernels()) {
      std::vector<std::uint32_t> target(source.size());
      copy_elements(reinterpret_cast<const std::byte*>(source.data()), dtype,
                    reinterpret_cast<std::byte*>(target.data()), dtype.native(),
                    std::vector<CopyAxis>{{kSide, 4, 4 * kSide}, {kSide, 4 * kSide, 4}}, Casting::lossless,
                    {kernels, 0});
      for (std::size_t i = 0; i < source.size(); ++i) {
        const std::uint32_t bits = source[i % kSide * kSide + i / kSide];
        ASSERT_EQ(target[i], dtype.is_native() ? bits : __builtin_bswap32(bits)) << kernels->name << " " << type;
      }
    }
  }
}

TEST(Transfer, ItemsLongerThanAnyBufferAreSwapped) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  const DType dtype = *parse_dtype(">U3000");
  expect_bits_move(random, dtype, {{3, dtype.itemsize, dtype.itemsize}});
  expect_bits_move(random, dtype, {{2, dtype.itemsize, 3 * dtype.itemsize}, {3, 2 * dtype.itemsize, dtype.itemsize}});
}

TEST(Transfer, IO32LengthsAroundEveryVectorAndTile) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (std::int64_t n = 1; n <= 1025; n += n < 140 ? 1 : 59) {
    SCOPED_TRACE(n);
    for (const char* const type : {"|u1", "<i2", "<f4", ">f4", "<f8", "<c16", "|S3"}) {
      const DType dtype = *parse_dtype(type);
      const std::int64_t item = dtype.itemsize;
      const std::int64_t m = test::pick(random, 1, 40);
      expect_bits_move(random, dtype, {{n, item, item}});
      expect_bits_move(random, dtype, {{n, 3 * item, item}});
      expect_bits_move(random, dtype, {{n, m * item, item}, {m, item, n * item}});
      expect_bits_move(random, dtype, {{n, item, m * item}, {m, n * item, item}});
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Transfer, IO32EqualsTheElementLoopPastTheCache) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (const char* const type : {"|u1", ">i2", "<f4", ">f8", "<c16", "|S24"}) {
    const DType dtype = *parse_dtype(type);
    const std::int64_t item = dtype.itemsize;
    const std::int64_t m = test::pick(random, 150, 300);
    const std::int64_t n = kFencedBytes / item / m + test::pick(random, 2, 40);
    const std::int64_t total = stream_total_bytes() + 1;
    SCOPED_TRACE(type);
    expect_bits_move(random, dtype, {{n * m, item, item}}, total);
    expect_bits_move(random, dtype, {{n, m * item + 24, m * item}, {m, item, item}}, total);
    expect_bits_move(random, dtype, {{n, item, m * item}, {m, n * item, item}}, total);
    expect_bits_move(random, dtype, {{n, item, m * item + item}, {m / 5, 5 * n * item, 5 * item}, {5, n * item, item}},
                     total);
    expect_bits_move(random, dtype, {{n, 2 * m * item, m * item}, {m, 2 * item, item}}, total);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Transfer, NegativeAndZeroStridesAreWalkedAsTheySay) {
  const std::vector<std::uint16_t> source = {1, 2, 3, 4, 5, 6};
  std::vector<std::uint16_t> target(12, 0);
  const std::vector<CopyAxis> axes = {{2, 0, 12}, {3, -4, 4}, {2, 2, 2}};
  const DType dtype = *parse_dtype("<u2");
  copy_elements(reinterpret_cast<const std::byte*>(source.data() + 4), dtype,
                reinterpret_cast<std::byte*>(target.data()), dtype, axes, Casting::lossless);
  EXPECT_EQ(target, (std::vector<std::uint16_t>{5, 6, 3, 4, 1, 2, 5, 6, 3, 4, 1, 2}));
}

TEST(Transfer, DS50SwapAndCastAreFused) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (int round = 0; round < 200; ++round) {
    const std::vector<CopyAxis> axes = random_axes(random, 4, 8);
    std::vector<std::uint32_t> source(reach(axes, &CopyAxis::source_stride, 4) / 4);
    for (std::uint32_t& word : source) word = static_cast<std::uint32_t>(random());
    std::vector<double> target(reach(axes, &CopyAxis::target_stride, 8) / 8, -1);
    std::vector<double> wanted = target;
    for_each_element(axes, [&](std::int64_t from, std::int64_t to) {
      wanted[static_cast<std::size_t>(to / 8)] =
          static_cast<double>(static_cast<std::int32_t>(__builtin_bswap32(source[static_cast<std::size_t>(from / 4)])));
    });
    for (const CopyKernels* const kernels : usable_kernels()) {
      for (const CopyThresholds& thresholds : ways_of_all_sizes()) {
        std::fill(target.begin(), target.end(), -1);
        const auto lost = copy_elements(reinterpret_cast<const std::byte*>(source.data()), *parse_dtype(">i4"),
                                        reinterpret_cast<std::byte*>(target.data()), *parse_dtype("<f8"), axes,
                                        Casting::lossless, {kernels, 0, thresholds});
        ASSERT_FALSE(lost);
        ASSERT_EQ(target, wanted) << kernels->name;
      }
    }
  }
}

TEST(Transfer, TheLostValueIsFoundByItsPositionInTheAxesOrder) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (int round = 0; round < 200; ++round) {
    const std::vector<CopyAxis> axes = random_axes(random, 8, 4);
    const std::int64_t n = elements(axes);
    const std::int64_t bad = test::pick(random, 0, n - 1);
    std::vector<double> source(reach(axes, &CopyAxis::source_stride, 8) / 8, 1.0);
    std::int64_t position = 0;
    for_each_element(axes, [&](std::int64_t from, std::int64_t) {
      if (position++ == bad) source[static_cast<std::size_t>(from / 8)] = 0.1;
    });
    std::vector<float> target(reach(axes, &CopyAxis::target_stride, 4) / 4);
    const auto lost =
        copy_elements(reinterpret_cast<const std::byte*>(source.data()), *parse_dtype("<f8"),
                      reinterpret_cast<std::byte*>(target.data()), *parse_dtype("<f4"), axes, Casting::checked);
    ASSERT_TRUE(lost);
    ASSERT_EQ(lost->position, bad);
    ASSERT_STREQ(lost->what, "would be rounded");
  }
}

TEST(Transfer, EmptyAxesMoveNothing) {
  const std::vector<CopyAxis> axes = {{3, 8, 8}, {0, 8, 8}};
  EXPECT_FALSE(copy_elements(nullptr, *parse_dtype("<f8"), nullptr, *parse_dtype("<f8"), axes, Casting::lossless));
}

}  // namespace
}  // namespace loadstone
