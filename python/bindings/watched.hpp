// Long calls from Python: the interpreter lock is released, Ctrl-C stops them, progress is told on the calling thread.
#pragma once

#include <nanobind/nanobind.h>

#include <loadstone/options.hpp>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

namespace loadstone::python {

/// Where the work of a watched call runs.
enum class RunOn {
  own_thread,     ///< beside the calling thread, which looks for signals every 50 ms
  calling_thread  ///< for an MPI that allows no second thread; signals are seen when progress is told
};

/// Made, used and destroyed with the interpreter lock held. May be used for several calls, one after the other.
class Watch {
 public:
  /// @param progress  None, or called with a Progress
  explicit Watch(nanobind::object progress) : progress_(std::move(progress)) {}

  /// To be handed to the call.
  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  std::function<void(const Progress&)> sink();

  /// Runs `work`, which must not touch Python, and rethrows what it threw. An exception that a signal handler or the
  /// progress callback raised stops the work and is raised in its place; a KeyboardInterrupt gives way to the error
  /// that all ranks agreed on.
  void run(RunOn where, const std::function<void()>& work);

 private:
  void attempt(const std::function<void()>& work) noexcept;
  void wait_for_end();
  void tell(const Progress& progress);
  void poll();
  void call_progress();
  void finish();

  nanobind::object progress_;
  std::stop_source stop_;
  std::optional<nanobind::python_error> raised_;
  std::exception_ptr failure_;
  RunOn where_ = RunOn::own_thread;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::optional<Progress> news_;
};

}  // namespace loadstone::python
