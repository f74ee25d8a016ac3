// Which of two ways copies resident pages to present destinations faster: tried, not assumed.
#pragma once

#include "io/counters.hpp"

#include <array>
#include <cstdint>

namespace loadstone::io {

/// Gives the two ways in turn until each has been timed, then the faster one. Which one that is depends on the
/// processor: a mapped copy was seen at 1.8 times the rate of a plain read on one, at 0.6 of it on another. Not
/// thread-safe.
class CopyTrial {
 public:
  /// The way of the next copy.
  [[nodiscard]] Way next();
  /// What a copy took, that next() gave a way before the trial was settled. The first of each way warms up.
  void add(Way way, std::int64_t bytes, double seconds);
  [[nodiscard]] bool settled() const noexcept { return read_.copies > kCopies && mapped_.copies > kCopies; }

 private:
  static constexpr int kCopies = 3;  // that count
  struct Taken {
    int copies = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
    [[nodiscard]] double seconds_per_byte() const { return seconds / static_cast<double>(bytes > 0 ? bytes : 1); }
  };

  bool turn_ = false;
  Taken read_;
  Taken mapped_;
};

}  // namespace loadstone::io
