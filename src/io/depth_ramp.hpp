// How many requests are in flight: more, as long as more is faster.
#pragma once

#include <cstdint>

namespace loadstone::io {

/// Starts at a depth that fills most devices and doubles it while the rate gains a twentieth; stays between the last
/// two if it gained less, goes back if it lost as much. Requests that land in place cost no memory, so a deeper queue
/// costs nothing but the time of a stop. Not thread-safe.
class DepthRamp {
 public:
  DepthRamp() = default;
  /// @param most  the depth that is never passed; `start` or less: the depth stays
  DepthRamp(std::int64_t start, std::int64_t most, std::int64_t request_bytes)
      : depth_(start), most_(most), request_bytes_(request_bytes) {}

  [[nodiscard]] std::int64_t depth() const noexcept { return depth_; }
  /// Bytes that have arrived in place, by the clock of the run.
  void add(std::int64_t bytes, double now);

 private:
  void start_measuring(double now);
  void judge(double rate, double now);

  std::int64_t depth_ = 1;
  std::int64_t most_ = 1;
  std::int64_t request_bytes_ = 1;
  bool settling_ = true;  // what is in flight was asked for at another depth
  std::int64_t bytes_ = 0;
  double started_ = 0;
  double rate_before_ = 0;  // at half the depth; 0: not known
};

}  // namespace loadstone::io
