// One axis of a distribution as plain arithmetic: which part owns what, and where it lies in the part's tile.
//
//   even    |-- 0 --|-- 1 --|- 2 -|- 3 -|      cuts   |- 0 -||--- 2 ---|-- 3 --|   (part 1 is empty)
//   cyclic  |0|1|2|3|0|1|2|3|0|1|               whole  |----------- 0 ----------|
#pragma once

#include <loadstone/distribution.hpp>

#include <cstdint>
#include <vector>

namespace loadstone::layout {

/// A rule applied to an extent by so many parts. A view: the distribution that it comes from must outlive it.
struct Axis {
  const AxisRule& rule;
  std::int64_t extent = 0;
  std::int64_t parts = 1;
};

[[nodiscard]] Axis axis_of(const Distribution& distribution, std::int64_t axis);

/// The even rule (AR-A1): the first `extent mod parts` parts get one more.
[[nodiscard]] Interval even_part(std::int64_t extent, std::int64_t parts, std::int64_t part) noexcept;

/// What a part owns; O(1). Not for cyclic axes, where it is several intervals.
[[nodiscard]] Interval part_interval(const Axis& axis, std::int64_t part);
/// The same for every rule: one interval (perhaps empty), or the non-empty blocks of a cyclic axis, ascending.
[[nodiscard]] std::vector<Interval> part_intervals(const Axis& axis, std::int64_t part);
/// How many indices a part owns; O(1).
[[nodiscard]] std::int64_t part_size(const Axis& axis, std::int64_t part);
/// The most that any part owns; O(1), O(parts) for cuts.
[[nodiscard]] std::int64_t largest_part(const Axis& axis);

/// The part that owns an index in [0, extent): O(1) or one binary search.
[[nodiscard]] std::int64_t owner(const Axis& axis, std::int64_t index);
/// Where an index lies in its owner's tile.
[[nodiscard]] std::int64_t position(const Axis& axis, std::int64_t index);
/// The non-empty parts that share something with `wanted`, ascending, cut to it. O(log parts + results).
[[nodiscard]] std::vector<OwnedInterval> owned_overlaps(const Axis& axis, Interval wanted);

}  // namespace loadstone::layout
