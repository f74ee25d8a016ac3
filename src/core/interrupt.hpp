// What every wait watches: a stop token, a deadline, and a clock that is handed in (tests do not sleep).
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace loadstone {

/// Seconds on a clock that never goes back. Handed in, so that tests can move it by hand.
using Clock = std::function<double()>;

/// The steady clock of this machine, in seconds.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Passed to everything that may wait. `deadline_s` is the longest time without progress, not the length of the call.
struct Interrupt {
  std::stop_token stop;
  double deadline_s = 300;
  Clock clock = steady_seconds;
};

}  // namespace loadstone
