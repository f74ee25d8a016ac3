// The threads that copy what is in memory already: helpers, and the engine's own thread while it waits.
#pragma once

#include "core/ledger.hpp"
#include "io/mapped_copy.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace loadstone::io {

/// Carries out jobs on `threads` threads, of which the caller's is one: it helps whenever it calls help().
class Copiers {
 public:
  struct Done {
    std::uint64_t tag = 0;
    bool copied = false;
    double seconds = 0;  ///< that the copy took, on the thread that made it
  };

  Copiers(Ledger& ledger, int threads);
  ~Copiers();
  Copiers(const Copiers&) = delete;
  Copiers& operator=(const Copiers&) = delete;

  [[nodiscard]] int threads() const noexcept { return threads_; }
  void add(const CopyJob& job);
  /// Carries out one waiting job here; false if none is waiting.
  bool help();
  /// Nobody wants what is waiting any more: it counts as finished, not copied.
  void give_up_waiting();
  /// Moves what is finished to `done`; waits for at most `seconds` if nothing is.
  void collect(std::vector<Done>& done, double seconds);

 private:
  void start_helper();
  void serve(const std::stop_token& stop);

  Ledger& ledger_;
  const int threads_;
  std::mutex mutex_;
  std::condition_variable_any work_;
  std::condition_variable finished_;
  std::vector<CopyJob> waiting_;
  std::vector<Done> done_;
  bool refused_ = false;               // no thread could be started; not asked for again
  std::vector<std::jthread> helpers_;  // started with the first job that finds no idle thread; joined first
};

}  // namespace loadstone::io
