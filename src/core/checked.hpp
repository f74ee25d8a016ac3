// 64-bit size arithmetic that cannot wrap. All products and sums of sizes that come from files go through here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace loadstone {

[[nodiscard]] constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

[[nodiscard]] constexpr std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// Bytes of an array: product of the extents times itemsize. Empty if an extent is negative or the product of the
/// non-zero extents and the itemsize passes 2^63 - 1 (so that strides of an empty array are safe too).
[[nodiscard]] constexpr std::optional<std::int64_t> checked_nbytes(std::span<const std::int64_t> shape,
                                                                   std::int64_t itemsize) noexcept {
  bool empty = itemsize == 0;
  std::int64_t product = itemsize == 0 ? 1 : itemsize;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (__builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  }
  return empty ? 0 : product;
}

/// a / b rounded up, for a >= 0 and b > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

[[nodiscard]] constexpr std::int64_t round_up(std::int64_t a, std::int64_t multiple) noexcept {
  return ceil_div(a, multiple) * multiple;
}

[[nodiscard]] constexpr std::int64_t round_down(std::int64_t a, std::int64_t multiple) noexcept {
  return a / multiple * multiple;
}

}  // namespace loadstone
