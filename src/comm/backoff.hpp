// How a wait spends its time between two polls: spin, then yield, then sleep longer and longer.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace loadstone::comm {

/// Polls are 1 us to 1 ms apart. Yielding comes before sleeping, since ranks may share a core and the one that is
/// waited for must get it; a sleep of 1 us costs some 55 us on Linux, so it is not worth it before the short waits are
/// over.
class Backoff {
 public:
  void pause() {
    if (polls_ < kSpins + kYields) {
      if (polls_++ >= kSpins) std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(2 * sleep_, kLongestSleep);
  }

 private:
  static constexpr int kSpins = 16;
  static constexpr int kYields = 200;
  static constexpr std::chrono::microseconds kLongestSleep{1000};
  int polls_ = 0;
  std::chrono::microseconds sleep_{1};
};

}  // namespace loadstone::comm
