// The plan of a load: which bytes each rank reads and where they land. It can be printed before a byte is read.
#pragma once

#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace loadstone {

/// One tile with one shard in common. `rows` and `to` run along the stack axis.
struct Overlap {
  std::int64_t shard = 0;
  Interval rows;            ///< in the shard
  Interval to;              ///< in the tile
  std::int64_t offset = 0;  ///< of the first wanted byte from the start of the file
  std::int64_t nbytes = 0;  ///< wanted
  bool operator==(const Overlap&) const = default;
};

struct RankPlan {
  int rank = 0;
  Box box;  ///< of the selected array
  std::vector<Overlap> overlaps;
  std::int64_t bytes_wanted = 0;
  std::int64_t bytes_read = 0;
  std::int64_t requests = 0;
};

/// Totals are over all ranks, also when `ranks` holds only one part.
struct LoadPlan {
  std::string strategy;     ///< "direct"
  std::string reason;       ///< one sentence
  std::int64_t split = -1;  ///< -1: replicated
  std::string tiles;        ///< "balanced", "ceil", "explicit", "replicated"
  Shape shape;              ///< of the selected array
  DType dtype;              ///< of the result
  std::int64_t budget_bytes = 0;
  bool budget_guessed = false;
  std::int64_t smallest_budget_bytes = 0;
  std::int64_t peak_bytes = 0;   ///< most of the budget that a rank will hold
  std::int64_t block_bytes = 0;  ///< of one staging buffer; 0 if everything lands in place
  std::int64_t request_bytes = 0;
  std::int64_t rounds = 0;
  std::int64_t bytes_wanted = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_sent = 0;
  std::int64_t requests = 0;
  std::int64_t total_ranks = 0;
  bool totals_exact = true;  ///< false where only some ranks were planned: requests and bytes_read are theirs
  std::vector<RankPlan> ranks;

  /// The text that `loadstone plan` prints.
  [[nodiscard]] std::string to_text() const;
  /// The "plan" part of its JSON document.
  [[nodiscard]] std::string to_json() const;
};

}  // namespace loadstone
