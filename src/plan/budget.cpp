// How a budget is spent: one formula for what works at least, what is taken, and what the plan prints.
#include "core/checked.hpp"
#include "core/text.hpp"
#include "layout/axis.hpp"
#include "plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace loadstone::plan {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kPageBytes = 4096;
// IO-22: the device is busy with 8 MiB in flight, as 128 KiB x 32 ... 4 MiB x 4; 1 MiB is in the middle of that.
constexpr std::int64_t kRequestBytes = kMiB;
// A transposed block of this size holds 64 KiB runs of the file and 256-byte runs of the tile of 4-byte elements.
constexpr std::int64_t kTransposedBlockBytes = 4 * kMiB;
// IO-23: a small budget lowers the depth to 4, then the block to 256 KiB, then the depth to 1.
constexpr std::int64_t kSmallestBlockBytes = 256 * 1024;
constexpr std::int64_t kFewBlocks = 4;
// IO-22: 32 requests in flight per node keep every class of file system busy.
constexpr std::int64_t kMostBlocks = 32;
constexpr std::int64_t kRoundBytes = std::int64_t{1} << 30;

std::int64_t saturated(std::optional<std::int64_t> value) {
  return value.value_or(std::numeric_limits<std::int64_t>::max());
}

std::int64_t largest_tile_elements(const Problem& problem) {
  std::int64_t elements = 1;
  for (std::int64_t axis = 0; axis < problem.tiles.ndim(); ++axis) {
    elements *= layout::largest_part(layout::axis_of(problem.tiles, axis));
  }
  return elements;
}

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
    if (widths[axis].move > 1) {
      move.axes.insert(move.axes.begin(), {widths[axis].move, step * file_stride, tile_stride});
    }
    file_stride *= problem.dataset->shape[axis];
    tile_stride *= widths[axis].tile;
  }
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

/// What the shards that are read ask of staging.
struct Demand {
  bool staging = false;
  bool transposed = false;
  std::int64_t largest_item = 0;
  std::int64_t payload_bytes = 0;
};

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

/// Most bytes that a rank passes through staging: its tile, or all there is where gaps may be read as well.
std::int64_t most_staged_bytes(const Problem& problem, const Demand& demand) {
  const auto& axes = problem.selection.axes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const bool narrow = axis > 0 && (axes[axis].count < problem.dataset->shape[axis] ||
                                     problem.tiles.rules()[axis].kind != AxisRule::Kind::whole);
    if (axes[axis].step > 1 || narrow) return demand.payload_bytes;
  }
  return saturated(checked_multiply(largest_tile_elements(problem), demand.largest_item));
}

Fault too_small(const Problem& problem, std::int64_t smallest) {
  Fault fault;
  fault.code = Code::budget;
  fault.kind = "budget";
  fault.message = fmt::format("a budget of {} bytes a rank is too small, {} is the smallest that works",
                              grouped(problem.budget_bytes), grouped(smallest));
  fault.remedy = fmt::format("Pass budget={} or more.", smallest);
  if (problem.budget_guessed) {
    fault.message += "; it was guessed from the memory that is free";
    fault.remedy = fmt::format("State a budget of {} or more, or free memory.", smallest);
  }
  fault.item = "budget";
  fault.wanted = smallest;
  fault.got = problem.budget_bytes;
  return fault;
}

/// Grows the depth to a few blocks, then the block to its goal, then the depth to what keeps a device busy.
void spend(Budgeting& budgeting, std::int64_t available, std::int64_t smallest_block, std::int64_t goal,
           std::int64_t needed_bytes) {
  goal = std::min(goal, saturated(checked_add(needed_bytes, kPageBytes)));
  goal = std::max(round_down(goal, kPageBytes), smallest_block);
  const std::int64_t affordable =
      round_down(std::max<std::int64_t>(0, available / kFewBlocks - kBufferSlackBytes), kPageBytes);
  budgeting.sizes.block_bytes = std::clamp(affordable, smallest_block, goal);
  const std::int64_t affordable_blocks = available / (budgeting.sizes.block_bytes + kBufferSlackBytes);
  const std::int64_t useful_blocks = ceil_div(needed_bytes, budgeting.sizes.block_bytes);
  budgeting.blocks = std::max<std::int64_t>(1, std::min({affordable_blocks, useful_blocks, kMostBlocks}));
}

}  // namespace

Result<Budgeting> fit_budget(const Problem& problem) {
  const Demand demand = demand_of(problem);
  Budgeting budgeting;
  budgeting.sizes.request_bytes = problem.request_bytes > 0 ? problem.request_bytes : kRequestBytes;
  budgeting.staging_needed = demand.staging;
  budgeting.smallest_bytes = problem.metadata_bytes;
  const std::int64_t smallest_block = std::max(kSmallestBlockBytes, round_up(demand.largest_item, kPageBytes));
  if (demand.staging) budgeting.smallest_bytes += smallest_block + kBufferSlackBytes;
  if (problem.budget_bytes < budgeting.smallest_bytes) return too_small(problem, budgeting.smallest_bytes);
  if (demand.staging) {
    const std::int64_t goal = demand.transposed ? std::max(budgeting.sizes.request_bytes, kTransposedBlockBytes)
                                                : budgeting.sizes.request_bytes;
    spend(budgeting, problem.budget_bytes - problem.metadata_bytes, smallest_block, goal,
          most_staged_bytes(problem, demand));
  }
  budgeting.peak_bytes = problem.metadata_bytes + budgeting.blocks * budgeting.buffer_bytes();
  return budgeting;
}

std::int64_t rounds_of(const Problem& problem) {
  const std::int64_t bytes = largest_tile_elements(problem) * problem.result_dtype.itemsize;
  return std::max<std::int64_t>(1, ceil_div(bytes, kRoundBytes));
}

}  // namespace loadstone::plan
