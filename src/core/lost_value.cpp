#include "core/lost_value.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/convert.hpp"

namespace loadstone {
namespace {

constexpr std::size_t kLargestNumber = 16;

/// The element in this machine's byte order.
std::array<std::byte, kLargestNumber> native_element(const std::byte* source, const DType& dtype) {
  std::array<std::byte, kLargestNumber> element{};
  const auto unit = static_cast<std::ptrdiff_t>(dtype.is_native() ? 1 : dtype.swap_unit());
  std::copy_n(source, dtype.itemsize, element.begin());
  for (std::ptrdiff_t at = 0; at < dtype.itemsize; at += unit) {
    std::reverse(element.begin() + at, element.begin() + at + unit);
  }
  return element;
}

}  // namespace

LostValue find_lost_value(const std::byte* source, const DType& source_dtype, const DType& target_dtype,
                          std::span<const CopyAxis> axes, Casting casting) {
  const ConvertRow convert = find_convert_row(source_dtype, target_dtype, casting);
  std::array<std::byte, kLargestNumber> scratch{};
  std::vector<std::int64_t> at(axes.size(), 0);
  for (std::int64_t position = 0;; ++position) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) offset += at[i] * axes[i].source_stride;
    const auto element = native_element(source + offset, source_dtype);
    if (convert(element.data(), scratch.data(), 1)) {
      return {position, first_lost(element.data(), source_dtype.native(), target_dtype, 1, casting).what};
    }
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == axes[axis - 1].count) at[--axis] = 0;
    if (axis == 0) return {position, "is lost"};
  }
}

}  // namespace loadstone
