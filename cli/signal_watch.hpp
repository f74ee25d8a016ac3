// SIGINT and SIGTERM as a stop request: a thread waits for them, so nothing runs in a signal handler.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace loadstone::cli {

/// While it lives the two signals are blocked in this thread and in those it starts, and arrive at the watch. The first
/// one asks for a stop; one that comes a second or more after it ends the process at once. Make it before any other
/// thread. Where the system has no thread for it, signals do what they do without a watch.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();  ///< joins the thread and restores the signal mask
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  /// The first signal that arrived; 0 if none has.
  [[nodiscard]] int signal() const noexcept { return first_.load(); }

 private:
  void watch();
  void unblock() const;
  void take(int signal, double now_s);

  std::stop_source stop_;
  std::atomic<int> first_{0};
  double first_at_s_ = 0;
  int signals_ = -1;  ///< descriptor that reads the signals
  int end_ = -1;      ///< descriptor that ends the thread
  bool blocked_int_ = false;
  bool blocked_term_ = false;
  std::thread thread_;
};

}  // namespace loadstone::cli
