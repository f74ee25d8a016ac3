#include "plan/demand.hpp"

#include "core/checked.hpp"
#include "layout/axis.hpp"
#include "plan/saturated.hpp"

#include <algorithm>

namespace loadstone::plan {
namespace {

/// What an axis of tiles can look like: its extent in the tile (for strides), and the extent of one move.
struct Width {
  std::int64_t tile = 0;
  std::int64_t move = 0;
  auto operator<=>(const Width&) const = default;
};

void add_part(std::vector<Width>& widths, std::int64_t extent, std::int64_t fold) {
  if (extent == 0) return;
  const std::int64_t parts = std::min(fold, extent);
  widths.push_back({extent, layout::even_part(extent, parts, 0).size()});
  widths.push_back({extent, layout::even_part(extent, parts, parts - 1).size()});
}

/// All widths of an axis: two for even tiles, as many as there are different lengths for explicit ones.
std::vector<Width> widths_of(const Distribution& tiles, std::int64_t at, std::int64_t fold) {
  const layout::Axis axis = layout::axis_of(tiles, at);
  std::vector<Width> widths;
  if (axis.rule.kind == AxisRule::Kind::even) {
    add_part(widths, layout::part_size(axis, 0), fold);
    add_part(widths, layout::part_size(axis, axis.parts - 1), fold);
  } else {
    for (std::int64_t part = 0; part < axis.parts; ++part) add_part(widths, layout::part_size(axis, part), fold);
  }
  std::sort(widths.begin(), widths.end());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}

/// The move of two rows with these widths of the inner axes from a C-order shard: whether its runs may land in place
/// does not depend on how many rows there are, nor on which shard.
Move typical_move(const Problem& problem, const std::vector<Width>& widths) {
  const std::int64_t itemsize = problem.result_dtype.itemsize;
  Move move{0, 0, 0, itemsize, itemsize, {}};
  std::int64_t file_stride = itemsize;
  std::int64_t tile_stride = itemsize;
  for (std::size_t axis = widths.size(); axis-- > 0;) {
    const std::int64_t step = problem.selection.axes[axis].step;
    if (widths[axis].move > 1) move.axes.push_back({widths[axis].move, step * file_stride, tile_stride});
    file_stride *= problem.dataset->shape[axis];
    tile_stride *= widths[axis].tile;
  }
  std::reverse(move.axes.begin(), move.axes.end());
  return move;
}

/// Whether some tile's part of C-order shards of the result's type cannot land in place.
bool any_shape_stages(const Problem& problem) {
  const Distribution& tiles = problem.tiles;
  std::vector<std::vector<Width>> choices;
  for (std::int64_t axis = 0; axis < tiles.ndim(); ++axis) {
    if (layout::axis_of(tiles, axis).rule.kind == AxisRule::Kind::cyclic) return true;  // blocks of any width
    const std::int64_t fold = tiles.split().value_or(0) == axis ? problem.overdecompose : 1;
    choices.push_back(widths_of(tiles, axis, fold));
    if (axis == 0) {
      const std::int64_t rows = std::min<std::int64_t>(2, problem.selection.axes.front().count);
      choices.back() = {{rows, rows}};
    }
    if (choices.back().empty()) return false;
  }
  std::vector<std::size_t> at(choices.size());
  std::vector<Width> chosen(choices.size());
  for (;;) {
    for (std::size_t axis = 0; axis < choices.size(); ++axis) chosen[axis] = choices[axis][at[axis]];
    if (!run_shape(typical_move(problem, chosen), false, Sizes{}.gap_bytes).in_place) return true;
    std::size_t axis = choices.size();
    while (axis > 0 && ++at[axis - 1] == choices[axis - 1].size()) at[--axis] = 0;
    if (axis == 0) return false;
  }
}

}  // namespace

std::int64_t largest_tile_elements(const Problem& problem) {
  std::int64_t elements = 1;
  for (std::int64_t axis = 0; axis < problem.tiles.ndim(); ++axis) {
    elements *= layout::largest_part(layout::axis_of(problem.tiles, axis));
  }
  return elements;
}

Demand demand_of(const Problem& problem) {
  Demand demand;
  const Dataset& dataset = *problem.dataset;
  if (problem.result_dtype.itemsize == 0 || largest_tile_elements(problem) == 0) return demand;
  std::optional<bool> shape_stages;
  for (std::size_t s = 0; s < dataset.shards.size(); ++s) {
    const auto shard = static_cast<std::int64_t>(s);
    if (dataset.ndim() > 0 && problem.shards.interval(shard, 0).empty()) continue;
    const bool column_major = dataset.shards[s].order == StorageOrder::f && dataset.ndim() > 1;
    bool stages = column_major || must_stage(problem, shard);
    if (!stages) {
      if (!shape_stages) shape_stages = any_shape_stages(problem);
      stages = *shape_stages;
    }
    demand.staging = demand.staging || stages;
    demand.transposed = demand.transposed || column_major;
    demand.largest_item = std::max(demand.largest_item, dataset.shards[s].dtype.itemsize);
    demand.payload_bytes = saturated(checked_add(demand.payload_bytes, dataset.shards[s].nbytes));
  }
  return demand;
}

std::int64_t most_staged_bytes(const Problem& problem, const Demand& demand) {
  const auto& axes = problem.selection.axes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const bool narrow = axis > 0 && (axes[axis].count < problem.dataset->shape[axis] ||
                                     problem.tiles.rules()[axis].kind != AxisRule::Kind::whole);
    if (axes[axis].step > 1 || narrow) return demand.payload_bytes;
  }
  return saturated(checked_multiply(largest_tile_elements(problem), demand.largest_item));
}

}  // namespace loadstone::plan
