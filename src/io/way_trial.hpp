// Which of two ways is faster here: tried, not assumed.
#pragma once

#include "io/counters.hpp"

#include <cstdint>

namespace loadstone::io {

/// Gives two ways in turn until each has been timed, then the better one. Not thread-safe.
class WayTrial {
 public:
  /// @param usual      what is kept unless `other` is faster by the factor `advantage`
  /// @param transfers  of each way that are timed; the first one warms up and does not count
  WayTrial(Way usual, Way other, int transfers, double advantage)
      : usual_{usual}, other_{other}, transfers_(transfers), advantage_(advantage) {}

  /// The way of the next transfer.
  [[nodiscard]] Way next();
  /// What a transfer took that next() gave a way before the trial was settled. Those of other ways count for nothing.
  void add(Way way, std::int64_t bytes, double seconds);
  [[nodiscard]] bool settled() const noexcept { return usual_.seen >= transfers_ && other_.seen >= transfers_; }

 private:
  struct Candidate {
    Way way;
    int seen = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
    [[nodiscard]] double seconds_per_byte() const { return seconds / static_cast<double>(bytes > 0 ? bytes : 1); }
  };

  Candidate usual_;
  Candidate other_;
  int transfers_;
  double advantage_;
  bool turn_ = false;
};

}  // namespace loadstone::io
