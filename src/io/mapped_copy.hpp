// One window's worth of resident pages, copied out of a short-lived mapping by helpers and by the engine's own thread.
#pragma once

#include "core/kernels.hpp"
#include "core/ledger.hpp"
#include "io/file.hpp"

#include <sys/uio.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace loadstone::io {

/// What is to be copied. The destinations and the descriptor outlive the job.
struct MappedJob {
  std::uint64_t tag = 0;
  int fd = -1;
  std::int64_t offset = 0;
  std::span<const iovec> destinations;
  FileIdentity identity;
  IdentityRule rule = IdentityRule::strict;
  const CopyKernels* kernels = &best_kernels();  ///< never null
};

/// Checks the identity, maps (charged to the ledger), copies under the guard, checks again. False: nothing can be said
/// about the destination's bytes, read them another way.
bool copy_mapped(const MappedJob& job, Ledger& ledger);

/// Carries out jobs on `threads` threads, of which the caller's is one: it helps whenever it calls help().
class MappedCopiers {
 public:
  struct Done {
    std::uint64_t tag = 0;
    bool copied = false;
  };

  MappedCopiers(Ledger& ledger, int threads);
  ~MappedCopiers();
  MappedCopiers(const MappedCopiers&) = delete;
  MappedCopiers& operator=(const MappedCopiers&) = delete;

  [[nodiscard]] int threads() const noexcept { return threads_; }
  void add(const MappedJob& job);
  /// Carries out one waiting job here; false if none is waiting.
  bool help();
  /// Moves what is finished to `done`; waits for at most `seconds` if nothing is.
  void collect(std::vector<Done>& done, double seconds);

 private:
  void serve(const std::stop_token& stop);

  Ledger& ledger_;
  const int threads_;
  std::mutex mutex_;
  std::condition_variable_any work_;
  std::condition_variable finished_;
  std::vector<MappedJob> waiting_;
  std::vector<Done> done_;
  std::vector<std::jthread> helpers_;  // started with the first job that finds no idle thread; joined first
};

}  // namespace loadstone::io
