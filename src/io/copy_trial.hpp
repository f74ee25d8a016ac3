// Which of two ways copies resident pages to present destinations faster: tried, not assumed.
#pragma once

#include "io/counters.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace loadstone::io {

/// Tries a batch of buffered reads, then a batch of mapped copies, then stays with the faster way. Which one that is
/// depends on the processor: a mapped copy was seen at 1.8 times the rate of a buffered read on one, at 0.6 of it on
/// another. Not thread-safe.
class CopyTrial {
 public:
  /// @param batch  copies of one batch: as many as run side by side
  explicit CopyTrial(int batch) : batch_(batch) {}

  /// The way of the next copy; none while a whole batch is on its way, so that batches are timed apart.
  [[nodiscard]] std::optional<Way> next(double now);
  /// A copy that next() gave a way before it was settled has ended, well or not.
  void done(std::int64_t bytes, double now);
  [[nodiscard]] bool settled() const noexcept { return phase_ == kWaysTried; }

 private:
  static constexpr std::size_t kWaysTried = 2;
  static constexpr std::array<Way, kWaysTried> kOrder = {Way::buffered, Way::mapped};

  int batch_;
  std::size_t phase_ = 0;  // index into kOrder; kWaysTried: settled
  int issued_ = 0;
  int done_ = 0;
  std::int64_t bytes_ = 0;
  double started_ = 0;
  std::array<double, kWaysTried> seconds_per_byte_{};
};

}  // namespace loadstone::io
