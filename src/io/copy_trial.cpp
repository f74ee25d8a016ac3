#include "io/copy_trial.hpp"

#include <algorithm>

namespace loadstone::io {

std::optional<Way> CopyTrial::next(double now) {
  if (settled()) return seconds_per_byte_[1] < seconds_per_byte_[0] ? kOrder[1] : kOrder[0];
  if (issued_ == batch_) return std::nullopt;
  if (issued_++ == 0) started_ = now;
  return kOrder[phase_];
}

void CopyTrial::done(std::int64_t bytes, double now) {
  bytes_ += bytes;
  if (++done_ < batch_) return;
  seconds_per_byte_[phase_] = (now - started_) / static_cast<double>(std::max<std::int64_t>(1, bytes_));
  ++phase_;
  issued_ = 0;
  done_ = 0;
  bytes_ = 0;
}

}  // namespace loadstone::io
