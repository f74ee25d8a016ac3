// Threads that place staged pieces, so that the thread which keeps the storage busy does not copy (IO-24).
#pragma once

#include "core/status.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace loadstone::loader {

/// A small pool for jobs that belong to staging slots. Used by one thread; jobs of different slots touch nothing in
/// common.
class Placers {
 public:
  using Job = std::function<Status()>;
  struct Task {
    std::size_t slot = 0;
    Job job;
    Status status;  ///< of the job, once it has ended
  };

  /// @param threads  below 2, jobs run at once on the caller's thread
  explicit Placers(int threads);
  /// Waits for the jobs under way and drops those that have not begun.
  ~Placers();
  Placers(const Placers&) = delete;
  Placers& operator=(const Placers&) = delete;

  void submit(std::size_t slot, Job job);
  /// Jobs that have ended since the last call; with `wait`, at least one if any is under way. A job is bounded work on
  /// memory, so the wait needs no deadline.
  std::list<Task> take(bool wait);
  [[nodiscard]] bool busy() const { return under_way_ > 0; }
  /// Whether more jobs wait than keep the threads busy until the next ones come.
  [[nodiscard]] bool behind() const { return under_way_ > kJobsPerThread * threads_.size() && !threads_.empty(); }

 private:
  // One at work and one that waits beside it are enough for a thread; twice that bridges what a thread oversleeps.
  static constexpr std::size_t kJobsPerThread = 2;

  void work(const std::stop_token& stop);

  std::size_t under_way_ = 0;  ///< submitted, not yet taken; the caller's thread only
  std::mutex mutex_;
  std::condition_variable_any queued_;
  std::condition_variable done_;
  // A task wanders from list to list as it stands: memory is asked for in submit() alone, never by a thread.
  std::list<Task> tasks_;
  std::list<Task> finished_;
  std::vector<std::jthread> threads_;
};

}  // namespace loadstone::loader
