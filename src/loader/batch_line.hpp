// The line between the thread that reads batches and the caller who takes them: batches in order, progress, a failure.
#pragma once

#include "core/status.hpp"
#include "loader/batch_memory.hpp"

#include <loadstone/array.hpp>
#include <loadstone/options.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace loadstone::loader {

/// Thread-safe: one thread puts, another takes.
class BatchLine {
 public:
  struct Ready {
    DistributedArray array;
    std::shared_ptr<BatchMemory::Block> block;
  };

  void put(Ready batch);
  /// What take() gives behind the batches that are ready.
  void put_failure(Status failure);
  /// The newest progress of a batch; kept until that batch is waited for.
  void tell(std::int64_t number, const Progress& progress);

  /// Waits for batch `number`, which is the next; tells its progress meanwhile, and at least once before the batch
  /// comes if there was any. Or the failure that stands in its place. Throws only what `progress` throws: then the
  /// batch still comes.
  Result<Ready> take(std::int64_t number, const std::function<void(const Progress&)>& progress);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Ready> ready_;
  Status failure_;
  std::map<std::int64_t, Progress> told_;
};

}  // namespace loadstone::loader
