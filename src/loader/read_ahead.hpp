// Reads the batches of a stream ahead of their caller, on one thread, in one run of the engine.
#pragma once

#include "loader/batch_line.hpp"
#include "loader/batch_memory.hpp"
#include "loader/session.hpp"
#include "loader/stream_plan.hpp"

#include <loadstone/array.hpp>
#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace loadstone::loader {

class StreamSource;
struct StreamParts;

/// The session, the dataset, the options and the cuts are the caller's, outlive this, and belong to it meanwhile. The
/// session's interrupt stops the thread: that is to be requested before the destructor, which waits for it.
class ReadAhead {
 public:
  ReadAhead(Session& session, const Dataset& dataset, const LoadOptions& options, const BatchCuts& cuts,
            StreamPlan plan);

  /// Waits for the next batch, and tells its progress meanwhile. Throws the failure of the batch; the one after that
  /// begins with the same batch again.
  DistributedArray next(const std::function<void(const Progress&)>& progress);

 private:
  Status read_from(std::int64_t first, bool tells_progress);
  Status read_batches(std::int64_t first, const StreamParts& parts);
  Status agreed(std::string_view phase, Status status);

  Session& session_;
  const Dataset& dataset_;
  const LoadOptions& options_;
  const BatchCuts& cuts_;
  StreamPlan plan_;
  BatchMemory memory_;
  BatchLine line_;
  std::int64_t next_ = 0;
  std::jthread thread_;  // destroyed first
};

}  // namespace loadstone::loader
