#include "io/depth_ramp.hpp"

namespace loadstone::io {
namespace {

constexpr double kWorthwhile = 1.05;
// A rate is measured over this many queues full: long enough to even out what single requests take.
constexpr std::int64_t kQueuesFull = 4;

}  // namespace

void DepthRamp::add(std::int64_t bytes, double now) {
  if (depth_ >= most_ && rate_before_ == 0) return;
  bytes_ += bytes;
  const std::int64_t queue = depth_ * request_bytes_;
  if (settling_) {
    if (bytes_ >= queue) start_measuring(now);
    return;
  }
  if (bytes_ < kQueuesFull * queue || now <= started_) return;
  judge(static_cast<double>(bytes_) / (now - started_), now);
}

void DepthRamp::start_measuring(double now) {
  settling_ = false;
  bytes_ = 0;
  started_ = now;
}

void DepthRamp::judge(double rate, double now) {
  const bool gained = rate_before_ == 0 || rate >= kWorthwhile * rate_before_;
  // Twice as many were not worth it. Half as many more are, unless they are in each other's way; rates that are closer
  // than what is asked of a gain are the same.
  if (!gained) depth_ = kWorthwhile * rate < rate_before_ ? depth_ / 2 : depth_ / 4 * 3;
  if (!gained || 2 * depth_ > most_) {
    most_ = depth_;
    rate_before_ = 0;
    return;
  }
  rate_before_ = rate;
  depth_ *= 2;
  start_measuring(now);
  settling_ = true;
}

}  // namespace loadstone::io
