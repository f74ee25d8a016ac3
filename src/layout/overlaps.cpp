#include "layout/overlaps.hpp"

#include "layout/axis.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace loadstone::layout {
namespace {

/// A stretch of one axis that the target and one part of the source have in common.
struct CommonInterval {
  std::int64_t part = 0;
  Interval interval;
  std::int64_t in_source = 0;
  std::int64_t in_target = 0;
};
using AxisCommons = std::vector<CommonInterval>;

AxisCommons common_with_all(const Distribution& source, std::int64_t axis, const std::vector<PlacedInterval>& wanted) {
  const Axis cut = axis_of(source, axis);
  AxisCommons found;
  for (const PlacedInterval& placed : wanted) {
    for (const OwnedInterval& owned : owned_overlaps(cut, placed.interval)) {
      // A cut part begins at a known place; only cyclic blocks need arithmetic.
      const std::int64_t in_source = cut.rule.kind == AxisRule::Kind::cyclic
                                         ? position(cut, owned.interval.begin)
                                         : owned.interval.begin - part_interval(cut, owned.part).begin;
      const std::int64_t in_target = placed.at + owned.interval.begin - placed.interval.begin;
      found.push_back({owned.part, owned.interval, in_source, in_target});
    }
  }
  return found;
}

/// Both lists ascend.
AxisCommons common_of_two(const std::vector<PlacedInterval>& source, const std::vector<PlacedInterval>& target) {
  AxisCommons found;
  for (std::size_t s = 0, t = 0; s < source.size() && t < target.size();) {
    const Interval a = source[s].interval;
    const Interval b = target[t].interval;
    const Interval shared = intersect(a, b);
    if (!shared.empty()) {
      found.push_back({0, shared, source[s].at + shared.begin - a.begin, target[t].at + shared.begin - b.begin});
    }
    ++(a.end < b.end ? s : t);
  }
  return found;
}

/// The source rank that holds these parts, at the first place of mesh axes that no rule names.
std::int64_t rank_of(const Distribution& source, const std::vector<const CommonInterval*>& chosen) {
  const Mesh& mesh = source.mesh();
  std::vector<std::int64_t> coordinates(mesh.dims.size());
  for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
    std::int64_t part = chosen[axis]->part;
    const auto& named = source.rules()[axis].mesh_axes;
    for (auto mesh_axis = named.rbegin(); mesh_axis != named.rend(); ++mesh_axis) {
      const auto at = static_cast<std::size_t>(*mesh_axis);
      coordinates[at] = part % mesh.dims[at];
      part /= mesh.dims[at];
    }
  }
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < coordinates.size(); ++axis) place = place * mesh.dims[axis] + coordinates[axis];
  return mesh.order.empty() ? place : mesh.order[static_cast<std::size_t>(place)];
}

CommonBox box_of(const std::vector<const CommonInterval*>& chosen) {
  CommonBox common;
  common.box.reserve(chosen.size());
  common.in_source.reserve(chosen.size());
  common.in_target.reserve(chosen.size());
  for (const CommonInterval* interval : chosen) {
    common.box.push_back(interval->interval);
    common.in_source.push_back(interval->in_source);
    common.in_target.push_back(interval->in_target);
  }
  return common;
}

/// Every choice of one interval an axis, the last axis fastest.
template <class RankOf>
std::vector<CommonBox> product(const std::vector<AxisCommons>& axes, RankOf rank_of_chosen) {
  if (std::any_of(axes.begin(), axes.end(), [](const AxisCommons& axis) { return axis.empty(); })) return {};
  std::vector<CommonBox> boxes;
  std::vector<std::size_t> at(axes.size());
  std::vector<const CommonInterval*> chosen(axes.size());
  for (;;) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) chosen[axis] = &axes[axis][at[axis]];
    boxes.push_back(box_of(chosen));
    boxes.back().source = rank_of_chosen(chosen);
    std::size_t axis = axes.size();
    while (axis > 0 && ++at[axis - 1] == axes[axis - 1].size()) at[--axis] = 0;
    if (axis == 0) return boxes;
  }
}

}  // namespace

Tile tile_of(const Distribution& distribution, std::int64_t rank) {
  Tile tile(static_cast<std::size_t>(distribution.ndim()));
  for (std::size_t axis = 0; axis < tile.size(); ++axis) {
    std::int64_t at = 0;
    for (const Interval interval : distribution.intervals(rank, static_cast<std::int64_t>(axis))) {
      tile[axis].push_back({interval, at});
      at += interval.size();
    }
  }
  return tile;
}

Tile narrowed(Tile tile, std::int64_t axis, Interval kept) {
  std::vector<PlacedInterval> left;
  for (const PlacedInterval& placed : tile.at(static_cast<std::size_t>(axis))) {
    const Interval at = intersect({placed.at, placed.at + placed.interval.size()}, kept);
    if (at.empty()) continue;
    const std::int64_t begin = placed.interval.begin + at.begin - placed.at;
    left.push_back({{begin, begin + at.size()}, at.begin});
  }
  tile[static_cast<std::size_t>(axis)] = std::move(left);
  return tile;
}

std::vector<CommonBox> overlaps(const Distribution& source, const Tile& target) {
  assert(source.ndim() == static_cast<std::int64_t>(target.size()));
  std::vector<AxisCommons> axes;
  axes.reserve(target.size());
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    axes.push_back(common_with_all(source, static_cast<std::int64_t>(axis), target[axis]));
    if (axes.back().empty()) return {};
  }
  return product(axes, [&](const auto& chosen) { return rank_of(source, chosen); });
}

std::vector<CommonBox> overlaps(const Distribution& source, const Distribution& target, std::int64_t rank) {
  assert(source.shape() == target.shape());
  return overlaps(source, tile_of(target, rank));
}

std::vector<CommonBox> overlaps(const Distribution& source, std::int64_t from, const Distribution& target,
                                std::int64_t rank) {
  assert(source.shape() == target.shape());
  const Tile ours = tile_of(source, from);
  const Tile theirs = tile_of(target, rank);
  std::vector<AxisCommons> axes;
  axes.reserve(ours.size());
  for (std::size_t axis = 0; axis < ours.size(); ++axis) axes.push_back(common_of_two(ours[axis], theirs[axis]));
  return product(axes, [&](const auto&) { return from; });
}

}  // namespace loadstone::layout
