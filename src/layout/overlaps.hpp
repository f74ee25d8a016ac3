// What two distributions of one array have in common: the geometry of every move, from files to tiles and from tiles to
// tiles alike. A set of shards is a distribution too: cuts along the stack axis.
//
//   source   |---- 0 ----|-- 1 --|------ 2 ------|
//   target        |---- tile of a rank ----|
//   common        |- 0 --|-- 1 --|--- 2 ---|        each with its start in the source tile and in the target tile
#pragma once

#include <loadstone/distribution.hpp>

#include <cstdint>
#include <vector>

namespace loadstone::layout {

/// A region of the array and where it begins in two tiles.
struct CommonBox {
  std::int64_t source = 0;  ///< rank of the source distribution
  Box box;                  ///< of the array; never empty
  Shape in_source;          ///< start an axis, in the source rank's tile
  Shape in_target;          ///< start an axis, in the target tile
  bool operator==(const CommonBox&) const = default;
};

/// A run of an axis that a tile holds, and where it begins in the tile.
struct PlacedInterval {
  Interval interval;
  std::int64_t at = 0;
  bool operator==(const PlacedInterval&) const = default;
};

/// An array region as a product of lists of intervals, one list an axis (AR-A2).
using Tile = std::vector<std::vector<PlacedInterval>>;

/// What a rank owns.
[[nodiscard]] Tile tile_of(const Distribution& distribution, std::int64_t rank);
/// Tile positions [kept.begin, kept.end) of one axis; `at` still counts from the start of the whole tile.
[[nodiscard]] Tile narrowed(Tile tile, std::int64_t axis, Interval kept);

/// The boxes that a tile shares with the tiles of `source`, each element once: where the source holds replicas, that
/// at the first place of the mesh. Ascending in C order of the boxes' intervals. O(ndim log parts + ndim x results).
[[nodiscard]] std::vector<CommonBox> overlaps(const Distribution& source, const Tile& target);
/// The same for what a rank of `target` owns. Both are of one shape.
[[nodiscard]] std::vector<CommonBox> overlaps(const Distribution& source, const Distribution& target,
                                              std::int64_t rank);
/// The boxes that two given ranks share, replicas or not.
[[nodiscard]] std::vector<CommonBox> overlaps(const Distribution& source, std::int64_t from, const Distribution& target,
                                              std::int64_t rank);

}  // namespace loadstone::layout
