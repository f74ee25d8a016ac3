// What a problem asks of staging, over all its ranks: the same answer on each of them, without planning any of them.
#pragma once

#include "plan/planner.hpp"

#include <cstdint>

namespace loadstone::plan {

/// Over the shards that some rank reads.
struct Demand {
  bool staging = false;            ///< some rank may have a piece that cannot land in place
  bool transposed = false;         ///< some shard is column-major
  std::int64_t largest_item = 0;   ///< bytes of the largest stored element
  std::int64_t payload_bytes = 0;  ///< of these shards
};
/// O(shards), and O(ranks) where explicit lengths cut an inner axis.
[[nodiscard]] Demand demand_of(const Problem& problem);

/// Elements of the largest tile of any rank.
[[nodiscard]] std::int64_t largest_tile_elements(const Problem& problem);
/// Most bytes that a rank passes through staging: its tile, or all there is where gaps may be read as well.
[[nodiscard]] std::int64_t most_staged_bytes(const Problem& problem, const Demand& demand);

}  // namespace loadstone::plan
