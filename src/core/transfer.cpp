#include "core/transfer.hpp"

#include <algorithm>
#include <vector>

#include "core/copy_loops.hpp"
#include "core/lost_value.hpp"
#include "core/mover.hpp"
#include "core/tile_mover.hpp"

namespace loadstone {
namespace {

/// Calls `part(target, source)` for each place of the outer axes; true if any of the calls was.
template <class Part>
bool for_each_place(std::byte* target, const std::byte* source, const std::vector<CopyAxis>& outer, Part& part) {
  std::vector<std::int64_t> at(outer.size(), 0);
  bool lost = false;
  while (true) {
    lost |= part(target, source);
    std::size_t axis = at.size();
    while (axis > 0) {
      const CopyAxis& step = outer[axis - 1];
      source += step.source_stride;
      target += step.target_stride;
      if (++at[axis - 1] < step.count) break;
      source -= step.count * step.source_stride;
      target -= step.count * step.target_stride;
      at[--axis] = 0;
    }
    if (axis == 0) return lost;
  }
}

bool carry_out(const Mover& mover, std::byte* target, const std::byte* source, const CopyLoops& loops,
               const CopyThresholds& thresholds) {
  if (loops.tiled) {
    TileMover tiles(mover, loops, thresholds.tile_side_bytes);
    return for_each_place(target, source, loops.outer, tiles);
  }
  Runs runs{loops.run, 1, 0, 0};
  if (!loops.along.axes().empty()) {
    const CopyAxis& axis = loops.along.axes().front();
    runs = {loops.run, axis.count, axis.source_stride, axis.target_stride};
  }
  const auto rows = [&](std::byte* to, const std::byte* from) { return mover.move_runs(to, from, runs); };
  return for_each_place(target, source, loops.outer, rows);
}

}  // namespace

std::optional<LostValue> copy_elements(const std::byte* source, const DType& source_dtype, std::byte* target,
                                       const DType& target_dtype, std::span<const CopyAxis> axes, Casting casting,
                                       const CopyWay& way) {
  std::int64_t bytes = target_dtype.itemsize;
  for (const CopyAxis& axis : axes) bytes *= axis.count;
  if (bytes == 0) return std::nullopt;
  const CopyThresholds& thresholds = way.thresholds;
  const bool streaming =
      bytes >= thresholds.fenced_bytes && std::max(bytes, way.total_bytes) > thresholds.stream_total_bytes;
  const Mover mover(source_dtype, target_dtype, casting, way, streaming);
  const CopyLoops loops =
      order_loops(axes, mover.items(), std::min(thresholds.tiled_run_bytes, TileMover::kMostRunBytes));
  const bool lost = carry_out(mover, target, source, loops, thresholds);
  if (streaming) way.kernels->fence();
  if (!lost) return std::nullopt;
  return find_lost_value(source, source_dtype, target_dtype, axes, casting);
}

}  // namespace loadstone
