// Which of two ways is faster here: tried, not assumed.
#pragma once

#include "io/counters.hpp"

#include <cstdint>
#include <limits>

namespace loadstone::io {

/// What counts of the times of a way: of transfers that wait in a queue all, of copies the best, for what makes others
/// longer is not theirs (a processor that was taken away).
enum class Judged : std::uint8_t { by_sum, by_best };

/// Gives two ways in turn until each has been timed, then the better one. Judged by the best, the other one is tried
/// again after 4, 8, 16 ... transfers: a few milliseconds may have been anybody's. Not thread-safe.
class WayTrial {
 public:
  /// @param usual      what is kept unless `other` is faster by the factor `advantage`
  /// @param transfers  of each way that are timed; the first one warms up and does not count
  WayTrial(Way usual, Way other, int transfers, double advantage, Judged judged)
      : usual_{usual}, other_{other}, transfers_(transfers), advantage_(advantage), judged_(judged) {}

  /// The way of the next transfer.
  [[nodiscard]] Way next();
  /// What a transfer took that next() gave a way. Judged by the sum, nothing counts once the trial is settled; other
  /// ways count for nothing.
  void add(Way way, std::int64_t bytes, double seconds);
  [[nodiscard]] bool settled() const noexcept { return usual_.seen >= transfers_ && other_.seen >= transfers_; }

 private:
  struct Candidate {
    Way way;
    int seen = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
    double best = std::numeric_limits<double>::infinity();  // seconds per byte
  };

  [[nodiscard]] double seconds_per_byte(const Candidate& candidate) const;
  [[nodiscard]] bool is_usual_better() const;
  [[nodiscard]] bool is_time_for_another_look();

  Candidate usual_;
  Candidate other_;
  int transfers_;
  double advantage_;
  Judged judged_;
  bool turn_ = false;
  std::int64_t given_ = 0;       // since it was settled
  std::int64_t look_again_ = 4;  // at this many
};

}  // namespace loadstone::io
