// Placing elements: one strided copy with byte swap and cast fused into it, from packed file bytes to a tile.
#pragma once

#include "core/kernels.hpp"
#include "core/status.hpp"

#include <loadstone/dtype.hpp>
#include <loadstone/options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loadstone {

/// One axis of a strided element copy, outermost first; strides in bytes.
struct CopyAxis {
  std::int64_t count = 0;
  std::int64_t source_stride = 0;
  std::int64_t target_stride = 0;
};

/// Where a copy goes over to another way. The constants, which say where they come from; `make bench-kernels` sets
/// others to measure both ways.
struct CopyThresholds {
  std::int64_t stream_total_bytes = loadstone::stream_total_bytes();
  std::int64_t fenced_bytes = kFencedBytes;
  std::int64_t stream_run_bytes = kStreamRunBytes;
  std::int64_t gathered_run_bytes = 0;  ///< 0: that of the kernels
  std::int64_t tiled_run_bytes = kLongestTiledRun;
  std::int64_t tile_side_bytes = kTileSideBytes;
};

/// How bytes are moved, never what they are.
struct CopyWay {
  const CopyKernels* kernels = &best_kernels();  ///< never null
  std::int64_t total_bytes = 0;                  ///< of the whole that the copy is a part of; 0: it is the whole
  CopyThresholds thresholds;
};

/// The element that a checked cast would have lost, or that would have wrapped.
struct LostValue {
  std::int64_t position = 0;  ///< linear position in the axes' order
  const char* what = "";      ///< "is out of range", "is not a whole number", "would be rounded", "is NaN"
};

/// Copies elements of `source_dtype` (any byte order) at `source` to native `target_dtype` at `target`.
/// Axes may be given in any order; the loops are put in the order that suits both sides, C <-> F moves go by tiles that
/// fit the cache, and a part of a copy of more than stream_total_bytes() goes past it (fenced before it returns).
/// Same types: bits are copied (byte swap by swap_unit). Otherwise numeric types are converted by `casting`:
///  - lossless: the caller has checked that every value fits (can_cast_lossless)
///  - checked: each value must survive the round trip, else LostValue (NaN survives between floats)
///  - lossy: floats round to nearest even, float to integer truncates, both as NumPy; out of range or NaN to an integer
///    is LostValue; to a float gives inf or NaN
/// Returns the first lost value in the axes' order, if any; the target's content is then unspecified.
std::optional<LostValue> copy_elements(const std::byte* source, const DType& source_dtype, std::byte* target,
                                       const DType& target_dtype, std::span<const CopyAxis> axes, Casting casting,
                                       const CopyWay& way = {});

/// Whether every value of `from` fits `to`: NumPy's "safe" casts among numeric types, but integer to float only if the
/// mantissa holds every value, and equal types always.
bool can_cast_lossless(const DType& from, const DType& to);
/// Whether a cast exists at all (both numeric, or equal apart from byte order; complex to real does not).
bool can_cast(const DType& from, const DType& to);

}  // namespace loadstone
