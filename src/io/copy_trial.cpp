#include "io/copy_trial.hpp"

namespace loadstone::io {

Way CopyTrial::next() {
  if (settled()) return mapped_.seconds_per_byte() < read_.seconds_per_byte() ? Way::mapped : Way::buffered;
  turn_ = !turn_;
  return turn_ ? Way::buffered : Way::mapped;
}

void CopyTrial::add(Way way, std::int64_t bytes, double seconds) {
  Taken& taken = way == Way::mapped ? mapped_ : read_;
  if (settled() || ++taken.copies == 1) return;
  taken.bytes += bytes;
  taken.seconds += seconds;
}

}  // namespace loadstone::io
