#include "io/way_trial.hpp"

namespace loadstone::io {

Way WayTrial::next() {
  if (settled()) {
    return usual_.seconds_per_byte() > advantage_ * other_.seconds_per_byte() ? other_.way : usual_.way;
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
}

}  // namespace loadstone::io
