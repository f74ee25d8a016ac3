// Casts between numeric element types, on contiguous native elements.
#pragma once

#include <loadstone/dtype.hpp>
#include <loadstone/options.hpp>

#include <cstddef>
#include <cstdint>

namespace loadstone {

/// Converts `n` elements; true if one was lost (the output is then unspecified from the first such element on).
using ConvertRow = bool (*)(const std::byte* source, std::byte* target, std::int64_t n);

/// The kernel for two numeric types; null where no cast exists. Lossless casts use the lossy kernel: nothing is lost.
ConvertRow find_convert_row(const DType& source, const DType& target, Casting casting);

/// Position of the first lost element of a row and why it is lost.
struct LostInRow {
  std::int64_t position = 0;
  const char* what = "";
};
LostInRow first_lost(const std::byte* source, const DType& source_dtype, const DType& target_dtype, std::int64_t n,
                     Casting casting);

}  // namespace loadstone
