// The calls: open, make_plan, load, stream, verify, write, clean. Collective over `comm` unless stated.
// Every rank returns, or every rank throws the same Error (code and text), and the communicator can be used again.
#pragma once

#include <loadstone/array.hpp>
#include <loadstone/communicator.hpp>
#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>
#include <loadstone/plan.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loadstone {

using Paths = std::vector<std::string>;
using CommPtr = std::shared_ptr<Communicator>;

/// Finds the shards and checks their headers. All faults come in one Error. Reads headers only.
/// @param paths  directories, globs, files, manifest files, "@names.txt", "@-" (standard input, rank 0's)
Dataset open(const Paths& paths, const OpenOptions& options = {}, const CommPtr& comm = self_communicator());

/// Plans a load of a dataset in hand on any number of ranks. Local and pure but for the environment's defaults.
/// @param ranks      up to 2^20, or any number with `only_rank`
/// @param only_rank  plans that rank alone (totals that need all ranks are then left out of `ranks`)
LoadPlan make_plan(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks,
                   std::optional<std::int64_t> only_rank = std::nullopt);

/// Loads: discover, plan, allocate, read, verify, publish. The array's memory is this rank's own.
DistributedArray load(const Paths& paths, const LoadOptions& options = {}, const CommPtr& comm = self_communicator());
/// The same from a dataset in hand (which must be equal on all ranks).
DistributedArray load(const Dataset& dataset, const LoadOptions& options = {},
                      const CommPtr& comm = self_communicator());

/// Takes part in a collective open or load with a failure that this rank met before it could call it (an argument that
/// does not parse, say), so that no rank waits for it. Always throws.
[[noreturn]] void refuse(const Error& error, const CommPtr& comm);

/// Sums `stats` over ranks (peaks and seconds: the worst). Collective.
LoadStats total(const LoadStats& stats, const CommPtr& comm);

/// The rows of a dataset in batches of at most `batch_rows`, in order; each batch owns its memory. Local.
/// Where the budget has room for two batches or more beside what loading one takes, another thread reads so many ahead
/// that the storage stays busy (about 48 MiB, at most 8 batches) without a pause between them, and the memory of
/// batches that were dropped is used again. A failure is thrown by the next() that asks for the batch it is of, after
/// all batches before that one; the following next() tries that batch again. `progress` is told on the thread that
/// waits in next(). The deadline counts while something is being read, not while the caller uses a batch. Counts of
/// `stats` are those since the batch before was complete: their sums over batches are exact.
class BatchStream {
 public:
  BatchStream(const Paths& paths, std::int64_t batch_rows, LoadOptions options = {});
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;
  BatchStream(BatchStream&&) noexcept;
  BatchStream& operator=(BatchStream&&) noexcept;
  ~BatchStream();
  /// The next batch; empty at the end or after close().
  std::optional<DistributedArray> next();
  /// Ends early: afterwards no thread, descriptor or buffer is left.
  void close() noexcept;
  [[nodiscard]] const Dataset& dataset() const;
  /// What the batches took that next() has returned, added up; peaks are the highest. Also after close().
  [[nodiscard]] const LoadStats& stats() const noexcept { return stats_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  LoadStats stats_;
};

struct VerifyOptions {
  OpenOptions open;
  IoOptions io;
  bool write_manifest = false;
  bool require_manifest = false;
  bool structure_only = false;
  std::optional<std::int64_t> budget_bytes;
  double deadline_s = 0;
  std::stop_token stop;
  std::function<void(const Progress&)> progress;
  /// Called by `verify` on its calling thread, once in a process for each reason.
  Log log;
};

struct VerifyReport {
  std::int64_t shards = 0;
  std::int64_t shards_verified = 0;  ///< whose content was compared with a manifest
  std::int64_t bytes_read = 0;
  double seconds = 0;
  bool against_manifest = false;
  std::string manifest_written;  ///< path; empty if none was
  std::int64_t generation = 0;
  // With write_manifest: against the manifest that was replaced.
  std::int64_t replaced_generation = 0;  ///< 0 if there was none, or none that could be read
  std::vector<std::string> changed;      ///< names whose size or hash it stated otherwise
  std::vector<std::string> added;        ///< names that it did not hold
  std::vector<std::string> dropped;      ///< names that it held and the new one does not
  std::vector<Fault> warnings;
};

/// Compares every shard with the manifest: each is read once, shared over ranks, under the budget.
/// All troubled shards come in one Error. Without a manifest only the structure is checked.
VerifyReport verify(const Paths& paths, const VerifyOptions& options = {}, const CommPtr& comm = self_communicator());

struct WriteOptions {
  Shape shape;
  std::int64_t shards = 1;
  DType dtype{Kind::floating, 4, native_byte_order(), {}};
  std::uint64_t seed = 0;
  std::string rows = "uneven";  ///< "uneven", "uniform", or a list such as "3,0,40"
  std::string fill = "random";  ///< "random" or "index"
  std::string format = "npy";
  bool force = false;
  std::stop_token stop;
};

struct WrittenShard {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t nbytes = 0;
  double first_row_sum = 0;
};

struct WriteReport {
  std::vector<WrittenShard> shards;
  std::string manifest;
  std::int64_t generation = 0;
};

/// Writes a test dataset; values depend on seed and global index alone. All or nothing: temporaries, fsync, rename,
/// manifest last. Refuses a directory with foreign files or a manifest unless `force`.
WriteReport write(const std::string& directory, const WriteOptions& options, const CommPtr& comm = self_communicator());

struct CleanReport {
  std::vector<std::string> removed;                       ///< what would go, unless `yes`
  std::vector<std::pair<std::string, std::string>> kept;  ///< path and why
};

/// Removes what a manifest names at the size it states, our temporaries, the manifest, and the directory if empty.
/// Local.
CleanReport clean(const std::string& directory, bool yes);

/// One row of a table of things that may or may not be built or usable here.
struct Capability {
  std::string name;
  bool built = false;
  bool usable = false;
  std::string reason;  ///< why not usable, or what it is
};
std::vector<Capability> known_formats();
std::vector<Capability> backends();
std::vector<Capability> communicators();

struct Setting {
  std::string name;
  std::string value;
  std::string origin;  ///< "default", "environment", "option"
};
/// Every setting and where it comes from. Error{bad_argument} if the environment holds a wrong value.
std::vector<Setting> settings();
/// Warnings about LOADSTONE_ names in the environment that mean nothing.
std::vector<Fault> environment_warnings();

}  // namespace loadstone
