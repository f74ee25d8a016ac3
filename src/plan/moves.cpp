// From boxes in common to overlaps and moves.
#include "layout/axis.hpp"
#include "layout/overlaps.hpp"
#include "plan/planner.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace loadstone::plan {
namespace {

using layout::CommonBox;
using layout::Tile;

Shape c_strides(const Shape& shape, std::int64_t itemsize) {
  Shape strides(shape.size());
  std::int64_t stride = itemsize;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

Shape f_strides(const Shape& shape, std::int64_t itemsize) {
  Shape strides(shape.size());
  std::int64_t stride = itemsize;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/// Byte strides of a shard's own axes.
Shape file_strides(const Dataset& dataset, const Shard& shard) {
  Shape shape = dataset.shape;
  if (!shape.empty()) shape.front() = shard.rows;
  return shard.order == StorageOrder::c ? c_strides(shape, shard.dtype.itemsize)
                                        : f_strides(shape, shard.dtype.itemsize);
}

/// Where a box begins on an axis of a shard, or of the chain that begins with it.
std::int64_t index_in_shard(const Problem& problem, std::int64_t shard, const CommonBox& common, std::size_t axis) {
  const SelectedAxis& selected = problem.selection.axes[axis];
  const std::int64_t index = selected.start + common.box[axis].begin * selected.step;
  return axis == 0 ? index - problem.dataset->row_index[static_cast<std::size_t>(shard)] : index;
}

/// Adds an axis outside of nothing or inside of the last one: drops it if it has one index, merges it where the outer
/// axis steps over exactly the inner one on both sides.
void append(std::vector<MoveAxis>& axes, MoveAxis axis) {
  if (axis.count == 1) return;
  if (!axes.empty()) {
    MoveAxis& outer = axes.back();
    if (outer.file_stride == axis.count * axis.file_stride && outer.tile_stride == axis.count * axis.tile_stride) {
      outer = {outer.count * axis.count, axis.file_stride, axis.tile_stride};
      return;
    }
  }
  axes.push_back(axis);
}

Shape local_shape_of(const Tile& tile) {
  Shape shape;
  for (const auto& placed : tile)
    shape.push_back(placed.empty() ? 0 : placed.back().at + placed.back().interval.size());
  return shape;
}

/// @param common  of a chain
Move move_of(const Problem& problem, const CommonBox& common, const Shape& tile_strides) {
  const std::int64_t first = problem.chain_starts[static_cast<std::size_t>(common.source)];
  const Shard& shard = problem.dataset->shards[static_cast<std::size_t>(first)];
  const Shape strides = file_strides(*problem.dataset, shard);
  Move move{first, shard.data_offset, 0, shard.dtype.itemsize, problem.result_dtype.itemsize, {}};
  const std::size_t ndim = strides.size();
  for (std::size_t i = 0; i < ndim; ++i) {
    const std::size_t axis = shard.order == StorageOrder::c ? i : ndim - 1 - i;
    move.file_offset += index_in_shard(problem, first, common, axis) * strides[axis];
    move.tile_offset += common.in_target[axis] * tile_strides[axis];
    append(move.axes, {common.box[axis].size(), problem.selection.axes[axis].step * strides[axis], tile_strides[axis]});
  }
  return move;
}

/// @param common  of a shard
Overlap overlap_of(const Problem& problem, const CommonBox& common) {
  const Shard& shard = problem.dataset->shards[static_cast<std::size_t>(common.source)];
  const Shape strides = file_strides(*problem.dataset, shard);
  Overlap overlap{common.source, {0, 1}, {0, 1}, shard.data_offset, elements_of(common.box) * shard.dtype.itemsize};
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    overlap.offset += index_in_shard(problem, common.source, common, axis) * strides[axis];
  }
  if (!strides.empty()) {
    const std::int64_t first = index_in_shard(problem, common.source, common, 0);
    const std::int64_t rows = common.box.front().size();
    overlap.rows = {first, first + (rows - 1) * problem.selection.axes.front().step + 1};
    overlap.to = {common.in_target.front(), common.in_target.front() + rows};
  }
  return overlap;
}

/// Files come in the order of their first shards, so that only shards which are ranges of files move.
void sort_by_file(const Dataset& dataset, std::span<Move> moves) {
  const auto place = [&](const Move& move) {
    return std::pair(dataset.shards[static_cast<std::size_t>(move.shard)].file, move.file_offset);
  };
  if (!std::ranges::is_sorted(moves, {}, place)) std::ranges::stable_sort(moves, {}, place);
}

/// DS47: a tile cut into K balanced parts along the axis that is split, read and placed one by one.
std::vector<Tile> parts_of(const Problem& problem, const Tile& tile) {
  if (problem.overdecompose == 1 || tile.empty()) return {tile};
  const std::int64_t axis = problem.tiles.split().value_or(0);
  const std::int64_t extent = local_shape_of(tile)[static_cast<std::size_t>(axis)];
  const std::int64_t parts = std::min(problem.overdecompose, extent);
  std::vector<Tile> cut;
  for (std::int64_t part = 0; part < parts; ++part) {
    cut.push_back(layout::narrowed(tile, axis, layout::even_part(extent, parts, part)));
  }
  return cut;
}

}  // namespace

std::vector<Overlap> overlaps_of(const Problem& problem, std::int64_t rank) {
  std::vector<Overlap> overlaps;
  for (const CommonBox& common : layout::overlaps(problem.shards, problem.tiles, rank)) {
    overlaps.push_back(overlap_of(problem, common));
  }
  return overlaps;
}

std::vector<Move> moves_of(const Problem& problem, std::int64_t rank) {
  std::vector<Move> moves;
  if (problem.result_dtype.itemsize == 0) return moves;
  const Tile tile = layout::tile_of(problem.tiles, rank);
  const Shape tile_strides = c_strides(local_shape_of(tile), problem.result_dtype.itemsize);
  for (const Tile& part : parts_of(problem, tile)) {
    const std::size_t before = moves.size();
    for (const CommonBox& common : layout::overlaps(problem.chains, part)) {
      moves.push_back(move_of(problem, common, tile_strides));
    }
    sort_by_file(*problem.dataset, std::span(moves).subspan(before));
  }
  return moves;
}

}  // namespace loadstone::plan
