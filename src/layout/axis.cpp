#include "layout/axis.hpp"

#include "core/checked.hpp"

#include <algorithm>

namespace loadstone::layout {
namespace {

using Rule = AxisRule::Kind;

/// Block `block` of a cyclic axis; it exists.
Interval cyclic_block(const Axis& axis, std::int64_t block) noexcept {
  const std::int64_t begin = block * axis.rule.block;
  return {begin, begin + std::min(axis.rule.block, axis.extent - begin)};
}

std::int64_t even_owner(const Axis& axis, std::int64_t index) noexcept {
  const std::int64_t each = axis.extent / axis.parts;
  const std::int64_t longer = axis.extent % axis.parts;
  const std::int64_t in_longer = longer * (each + 1);
  return index < in_longer ? index / (each + 1) : longer + (index - in_longer) / each;
}

/// The part of a cut axis that owns `index`, sought from part `first` on: empty parts share their offset with the
/// next one, so the last part that begins at or before the index is the one that owns it.
std::int64_t cuts_owner(const Axis& axis, std::int64_t index, std::int64_t first) {
  const auto& offsets = axis.rule.offsets;
  if (index < offsets[static_cast<std::size_t>(first) + 1]) return first;
  return std::upper_bound(offsets.begin() + first, offsets.end(), index) - offsets.begin() - 1;
}

std::vector<OwnedInterval> cyclic_overlaps(const Axis& axis, Interval wanted) {
  std::vector<OwnedInterval> found;
  for (std::int64_t at = wanted.begin; at < wanted.end;) {
    const std::int64_t block = at / axis.rule.block;
    const Interval shared = intersect(cyclic_block(axis, block), wanted);
    found.push_back({block % axis.parts, shared});
    at = shared.end;
  }
  return found;
}

}  // namespace

Axis axis_of(const Distribution& distribution, std::int64_t axis) {
  const auto at = static_cast<std::size_t>(axis);
  return {distribution.rules().at(at), distribution.shape().at(at), distribution.parts(axis)};
}

Interval even_part(std::int64_t extent, std::int64_t parts, std::int64_t part) noexcept {
  const std::int64_t each = extent / parts;
  const std::int64_t longer = extent % parts;
  const std::int64_t begin = part * each + std::min(part, longer);
  return {begin, begin + each + (part < longer ? 1 : 0)};
}

Interval part_interval(const Axis& axis, std::int64_t part) {
  switch (axis.rule.kind) {
    case Rule::even:
      return even_part(axis.extent, axis.parts, part);
    case Rule::cuts:
      return {axis.rule.offsets[static_cast<std::size_t>(part)], axis.rule.offsets[static_cast<std::size_t>(part) + 1]};
    case Rule::whole:
    case Rule::cyclic:
      break;
  }
  return {0, axis.extent};
}

std::vector<Interval> part_intervals(const Axis& axis, std::int64_t part) {
  if (axis.rule.kind != Rule::cyclic) return {part_interval(axis, part)};
  std::vector<Interval> owned;
  const std::int64_t blocks = ceil_div(axis.extent, axis.rule.block);
  for (std::int64_t block = part; block < blocks;) {
    owned.push_back(cyclic_block(axis, block));
    if (block > blocks - axis.parts) break;
    block += axis.parts;
  }
  return owned;
}

std::int64_t part_size(const Axis& axis, std::int64_t part) {
  if (axis.rule.kind != Rule::cyclic) return part_interval(axis, part).size();
  const std::int64_t blocks = ceil_div(axis.extent, axis.rule.block);
  if (part >= blocks) return 0;
  const std::int64_t mine = ceil_div(blocks - part, axis.parts);
  const bool has_last = (blocks - 1) % axis.parts == part;
  return has_last ? (mine - 1) * axis.rule.block + cyclic_block(axis, blocks - 1).size() : mine * axis.rule.block;
}

std::int64_t largest_part(const Axis& axis) {
  if (axis.rule.kind != Rule::cuts) return part_size(axis, 0);
  std::int64_t largest = 0;
  for (std::int64_t part = 0; part < axis.parts; ++part) largest = std::max(largest, part_size(axis, part));
  return largest;
}

std::int64_t owner(const Axis& axis, std::int64_t index) {
  switch (axis.rule.kind) {
    case Rule::even:
      return even_owner(axis, index);
    case Rule::cuts:
      return cuts_owner(axis, index, 0);
    case Rule::cyclic:
      return index / axis.rule.block % axis.parts;
    case Rule::whole:
      break;
  }
  return 0;
}

std::int64_t position(const Axis& axis, std::int64_t index) {
  if (axis.rule.kind != Rule::cyclic) return index - part_interval(axis, owner(axis, index)).begin;
  const std::int64_t block = index / axis.rule.block;
  return block / axis.parts * axis.rule.block + index % axis.rule.block;
}

std::vector<OwnedInterval> owned_overlaps(const Axis& axis, Interval wanted) {
  wanted = intersect(wanted, {0, axis.extent});
  if (axis.rule.kind == Rule::cyclic) return cyclic_overlaps(axis, wanted);
  std::vector<OwnedInterval> found;
  std::int64_t part = 0;
  for (std::int64_t at = wanted.begin; at < wanted.end; at = found.back().interval.end) {
    const bool seek = axis.rule.kind == Rule::cuts && !found.empty();
    part = seek ? cuts_owner(axis, at, part + 1) : owner(axis, at);
    found.push_back({part, intersect(part_interval(axis, part), wanted)});
  }
  return found;
}

}  // namespace loadstone::layout
