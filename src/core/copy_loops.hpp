// The order in which the elements of a strided copy are visited: axes merged, sorted, and grouped into tiles.
#pragma once

#include "core/transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loadstone {

/// Some axes as one, innermost first: the side that is dense steps evenly, the other wherever its strides say.
class AxisChain {
 public:
  /// @param far  stride of the side that does not step evenly
  explicit AxisChain(std::int64_t CopyAxis::* far) : far_(far) {}

  void add(const CopyAxis& axis);
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] const std::vector<CopyAxis>& axes() const noexcept { return axes_; }
  /// Offsets on the far side of steps first, first + 1, ...: one for each of `offsets`.
  void offsets(std::int64_t first, std::span<std::int64_t> offsets) const;

 private:
  std::int64_t CopyAxis::* far_;
  std::vector<CopyAxis> axes_;
  std::int64_t count_ = 1;
};

/// How a copy is carried out: for each place of `outer`, either rows or tiles of runs.
///
///   rows    `along` alone moves from run to run
///   tiles   source bytes are dense (or evenly strided) along `down`, target bytes along `along`:
///
///             source           along            target
///             down | a d g     ------>          along ->  a b c
///                  | b e h                                d e f
///                  v c f i                                g h i
struct CopyLoops {
  std::int64_t run = 1;         ///< elements that are contiguous on both sides
  std::vector<CopyAxis> outer;  ///< outermost first
  AxisChain along{&CopyAxis::source_stride};
  AxisChain down{&CopyAxis::target_stride};
  bool tiled = false;
};

struct ItemSizes {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

/// No axis is empty.
/// @param tiled_run_bytes  tiles serve runs that are shorter
CopyLoops order_loops(std::span<const CopyAxis> axes, ItemSizes items, std::int64_t tiled_run_bytes = kLongestTiledRun);

}  // namespace loadstone
