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

/// Random extents with the source dense in one order of the axes and the target in another.
std::vector<CopyAxis> random_axes(std::mt19937_64& random, std::int64_t source_item, std::int64_t target_item) {
  const auto ndim = static_cast<std::size_t>(test::pick(random, 0, 4));
  std::vector<CopyAxis> axes(ndim);
  for (CopyAxis& axis : axes) axis.count = test::pick(random, 1, 7);
  if (ndim > 0 && test::pick(random, 0, 3) == 0) axes[0].count = test::pick(random, 1, 1200);
  std::vector<std::size_t> order(ndim);
  std::iota(order.begin(), order.end(), 0U);
  const auto dense = [&](std::int64_t item, std::int64_t CopyAxis::* stride) {
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = item;
    for (const std::size_t axis : order) {
      axes[axis].*stride = step;
      step *= axes[axis].count;
    }
  };
  dense(source_item, &CopyAxis::source_stride);
  dense(target_item, &CopyAxis::target_stride);
  return axes;
}

std::int64_t elements(const std::vector<CopyAxis>& axes) {
  std::int64_t n = 1;
  for (const CopyAxis& axis : axes) n *= axis.count;
  return n;
}

TEST(Transfer, IO32EqualsTheElementLoopForEveryItemsizeAndOrder) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  const std::vector<std::string> types = {"|u1", "<i2",  ">i2", "<f4", ">f4",  "<f8",
                                          ">f8", ">c16", "|S3", ">U2", "|V13", ">M8[s]"};
  for (int round = 0; round < 400; ++round) {
    const DType dtype = *parse_dtype(types[static_cast<std::size_t>(test::pick(random, 0, 11))]);
    const std::vector<CopyAxis> axes = random_axes(random, dtype.itemsize, dtype.itemsize);
    const auto bytes = static_cast<std::size_t>(elements(axes) * dtype.itemsize);
    const auto skew = static_cast<std::size_t>(test::pick(random, 0, 63));
    std::vector<std::byte> source(bytes + 64);
    for (std::byte& byte : source) byte = static_cast<std::byte>(random());
    std::vector<std::byte> target(bytes + 64, std::byte{0xA5});
    std::vector<std::byte> wanted = target;
    const std::int64_t unit = dtype.is_native() ? 1 : dtype.swap_unit();
    for_each_element(axes, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t word = 0; word < dtype.itemsize; word += unit) {
        const std::byte* const at = source.data() + skew + from + word;
        std::reverse_copy(at, at + unit, wanted.data() + (64 - skew) + to + word);
      }
    });
    const auto lost = copy_elements(source.data() + skew, dtype, target.data() + (64 - skew), dtype.native(), axes,
                                    Casting::lossless);
    ASSERT_FALSE(lost);
    ASSERT_EQ(target, wanted) << dtype.str() << " round " << round;
  }
}

TEST(Transfer, DS50SwapAndCastAreFused) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (int round = 0; round < 200; ++round) {
    const std::vector<CopyAxis> axes = random_axes(random, 4, 8);
    const auto n = static_cast<std::size_t>(elements(axes));
    std::vector<std::uint32_t> source(n);
    for (std::uint32_t& word : source) word = static_cast<std::uint32_t>(random());
    std::vector<double> target(n, -1);
    std::vector<double> wanted(n, -1);
    for_each_element(axes, [&](std::int64_t from, std::int64_t to) {
      wanted[static_cast<std::size_t>(to / 8)] =
          static_cast<double>(static_cast<std::int32_t>(__builtin_bswap32(source[static_cast<std::size_t>(from / 4)])));
    });
    const auto lost =
        copy_elements(reinterpret_cast<const std::byte*>(source.data()), *parse_dtype(">i4"),
                      reinterpret_cast<std::byte*>(target.data()), *parse_dtype("<f8"), axes, Casting::lossless);
    ASSERT_FALSE(lost);
    ASSERT_EQ(target, wanted);
  }
}

TEST(Transfer, TheLostValueIsFoundByItsPositionInTheAxesOrder) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (int round = 0; round < 200; ++round) {
    const std::vector<CopyAxis> axes = random_axes(random, 8, 4);
    const std::int64_t n = elements(axes);
    const std::int64_t bad = test::pick(random, 0, n - 1);
    std::vector<double> source(static_cast<std::size_t>(n), 1.0);
    std::int64_t position = 0;
    for_each_element(axes, [&](std::int64_t from, std::int64_t) {
      if (position++ == bad) source[static_cast<std::size_t>(from / 8)] = 0.1;
    });
    std::vector<float> target(static_cast<std::size_t>(n));
    const auto lost =
        copy_elements(reinterpret_cast<const std::byte*>(source.data()), *parse_dtype("<f8"),
                      reinterpret_cast<std::byte*>(target.data()), *parse_dtype("<f4"), axes, Casting::checked);
    ASSERT_TRUE(lost);
    ASSERT_EQ(lost->position, bad);
  }
}

TEST(Transfer, EmptyAxesMoveNothing) {
  const std::vector<CopyAxis> axes = {{3, 8, 8}, {0, 8, 8}};
  EXPECT_FALSE(copy_elements(nullptr, *parse_dtype("<f8"), nullptr, *parse_dtype("<f8"), axes, Casting::lossless));
}

}  // namespace
}  // namespace loadstone
