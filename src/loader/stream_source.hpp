// The reads of a stream, batch after batch, as one source of the engine: the storage never waits between two batches.
#pragma once

#include "io/engine.hpp"
#include "loader/batch_line.hpp"
#include "loader/batch_memory.hpp"
#include "loader/session.hpp"
#include "loader/shard_sums.hpp"
#include "loader/stager.hpp"
#include "loader/stream_plan.hpp"
#include "loader/tile_reader.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>

namespace loadstone::loader {

/// What the runs of a stream share. All outlive the source.
struct StreamParts {
  Session& session;
  const Dataset& dataset;
  const LoadOptions& options;
  const BatchCuts& cuts;
  const StreamPlan& plan;
  bool tells_progress = false;
  io::Engine& engine;
  BatchMemory& memory;
  BatchLine& line;
};

///   put in line | read, being placed | handing out | planned, no memory yet | not begun
///   ------------+--------------------+-------------+------------------------+-----------> batches
///             front of open_      back of open_   coming_                end
///
/// For one run of the engine, on its thread. Waits in next() while nothing is in flight and the caller has not taken
/// enough.
class StreamSource final : public io::ReadSource {
 public:
  /// @param numbers  of the batches that it reads
  /// @param pool     null if nothing is staged
  StreamSource(const StreamParts& parts, Interval numbers, io::StagingPool* pool);
  ~StreamSource() override;
  StreamSource(const StreamSource&) = delete;
  StreamSource& operator=(const StreamSource&) = delete;

  /// After the run: waits for what is still being placed. Where the run succeeded, puts in line what is complete now,
  /// and returns the failure of batch delivered() if it was met here. A failure of the run is the engine's to tell.
  Status finish(bool succeeded);
  /// The first batch that was not put in line.
  [[nodiscard]] std::int64_t delivered() const noexcept { return delivered_; }
  /// The first batch of which nothing was read.
  [[nodiscard]] std::int64_t begun() const noexcept { return delivered_ + static_cast<std::int64_t>(open_.size()); }
  /// Requests were lost: the kernel may still write to the memory of these batches.
  void keep_for_ever();

  Next next(io::Read& read) override;
  Status done(const io::Read& read) override;
  [[nodiscard]] std::int64_t bytes_expected() const override {
    return parts_.plan.bytes_wanted / parts_.cuts.count() * (end_ - delivered_);
  }
  Status poll() override;

 private:
  struct Batch;
  /// `read` if the next batch has been opened; `later` if it can be when a read is back; `end` if none can be.
  Next open_next();
  bool plan_next();
  bool take_memory(BatchMemory::Taken& memory);
  void open(BatchMemory::Taken memory);
  /// `read`: there may be room now; `later`: when a read is back; `end`: it was stopped.
  Next wait_for_room();
  [[nodiscard]] bool is_complete(const Batch& front) const;
  void put_complete();
  Status check_files(const Batch& batch) const;
  bool check(Batch& batch, LoadStats& stats);
  void put(Batch& batch, LoadStats stats);
  /// Batch `number` cannot be had: those before it still can.
  void fail(std::int64_t number, std::string_view phase, Status status);

  const StreamParts& parts_;
  Stager stager_;
  std::deque<std::unique_ptr<Batch>> open_;  // in order; all but the last are handed out
  std::int64_t fresh_told_ = 0;
  std::unique_ptr<Batch> coming_;
  std::int64_t delivered_;
  std::int64_t end_;
  bool handing_out_ = false;  // the last of open_
  Status failure_;            // of batch end_
};

}  // namespace loadstone::loader
