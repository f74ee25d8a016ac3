#include "io/way_trial.hpp"

#include <algorithm>

namespace loadstone::io {

Way WayTrial::next() {
  turn_ = settled() ? is_usual_better() : !turn_;
  if (settled() && is_time_for_another_look()) turn_ = !turn_;
  return turn_ ? usual_.way : other_.way;
}

bool WayTrial::is_usual_better() const { return seconds_per_byte(usual_) <= advantage_ * seconds_per_byte(other_); }

bool WayTrial::is_time_for_another_look() {
  if (judged_ == Judged::by_sum || ++given_ < look_again_) return false;
  look_again_ *= 2;
  return true;
}

void WayTrial::add(Way way, std::int64_t bytes, double seconds) {
  const bool too_late = judged_ == Judged::by_sum && settled();
  if (too_late || (way != usual_.way && way != other_.way)) return;
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
