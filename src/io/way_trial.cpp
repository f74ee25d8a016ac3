#include "io/way_trial.hpp"

#include <algorithm>

namespace loadstone::io {

Way WayTrial::next() {
  if (settled()) {
    return seconds_per_byte(usual_) > advantage_ * seconds_per_byte(other_) ? other_.way : usual_.way;
  }
  turn_ = !turn_;
  return turn_ ? usual_.way : other_.way;
}

void WayTrial::add(Way way, std::int64_t bytes, double seconds) {
  if (settled() || (way != usual_.way && way != other_.way)) return;
  Candidate& candidate = way == usual_.way ? usual_ : other_;
  if (++candidate.seen == 1) return;
  candidate.bytes += bytes;
  candidate.seconds += seconds;
  if (bytes > 0) candidate.best = std::min(candidate.best, seconds / static_cast<double>(bytes));
}

double WayTrial::seconds_per_byte(const Candidate& candidate) const {
  if (judged_ == Judged::by_best) return candidate.best;
  return candidate.seconds / static_cast<double>(std::max<std::int64_t>(candidate.bytes, 1));
}

}  // namespace loadstone::io
