// What a load did, over ranks: totals, and the least, middle and most of each figure.
#pragma once

#include "core/interrupt.hpp"

#include <loadstone/communicator.hpp>
#include <loadstone/stats.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadstone::cli {

/// Least, middle and most of one figure over ranks; the middle of an even number is the mean of the two.
struct Spread {
  double least = 0;
  double middle = 0;
  double most = 0;
  bool operator==(const Spread&) const = default;
};
Spread spread_of(std::vector<double> values);

/// Totals as `loadstone::total` gives them, and spreads over ranks.
struct StatsOverRanks {
  int ranks = 1;
  LoadStats total;
  Spread bytes_read;
  Spread bytes_per_second;
  Spread peak_bytes;
  Spread seconds;
  std::vector<std::pair<std::string, Spread>> seconds_by_step;  ///< in the order of the walk
};

/// Collective: every rank's figures, the same result on all.
StatsOverRanks gather_stats(const LoadStats& mine, const std::shared_ptr<Communicator>& comm,
                            const Interrupt& interrupt = {});

/// The table that `load` prints.
/// @param detail  with ways, requests, retries, peaks by use
std::string stats_text(const StatsOverRanks& stats, bool detail);
/// The "stats" part: totals over ranks, and `over_ranks` with min, median, max.
std::string stats_json(const StatsOverRanks& stats);

}  // namespace loadstone::cli
