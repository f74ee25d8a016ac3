// The engine: decides how a byte is fetched, never which. It pulls reads, keeps a backend's queue full, handles short
// reads, EINTR, refused direct I/O and changed files, and counts. It knows no format.
#pragma once

#include "core/interrupt.hpp"
#include "core/kernels.hpp"
#include "core/ledger.hpp"
#include "core/status.hpp"
#include "io/backend.hpp"
#include "io/file.hpp"
#include "io/slabs.hpp"

#include <loadstone/options.hpp>
#include <loadstone/stats.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loadstone::io {

/// A file of one run of the engine.
struct InputFile {
  FileName name;
  FileIdentity identity;  ///< as found by discover; a difference at (re)opening or after the last read is `changed`
  std::int64_t shard = -1;
};

/// Bytes [offset, offset + destination.size()) of a file, wanted at `destination`. Never overlaps another read's
/// memory.
struct Read {
  std::int64_t file = 0;  ///< index into the files handed to run()
  std::int64_t offset = 0;
  std::span<std::byte> destination;
  std::uint64_t tag = 0;  ///< the caller's
  bool staged = false;    ///< destination is a staging buffer (for the statistics)
};

/// What the engine asks of its caller. Called on the engine's (the caller's) thread only.
class ReadSource {
 public:
  virtual ~ReadSource() = default;
  enum class Next : std::uint8_t { read, later, end };
  /// The next read, in file-offset order within a file. `later`: none before another one is done (a staging buffer
  /// must come back first); never returned while nothing is in flight.
  virtual Next next(Read& read) = 0;
  /// All bytes of the read have arrived. A failure stops the run.
  virtual Status done(const Read& read) = 0;
  /// Bytes that it will hand out in all, if it knows; decides what is worth finding out.
  [[nodiscard]] virtual std::int64_t bytes_expected() const { return 0; }
  /// Called between completions, at least every 50 ms while waiting: a peer's stop notice, progress. A failure stops.
  virtual Status poll() { return {}; }
};

/// Settled settings of an engine (see io.md section 10); made from options and the environment in one place.
struct EngineSettings {
  std::string backend = "auto";
  std::string direct = "auto";      ///< auto on off require
  std::string mapped = "auto";      ///< auto off
  std::string huge_pages = "auto";  ///< auto off hugetlb
  std::string page_cache = "keep";  ///< keep spare
  std::string landing = "auto";     ///< auto staged
  std::string fs_class;
  std::int64_t request_bytes = 0;  ///< 0: by the file-system class
  std::int64_t depth = 0;          ///< 0: by the file-system class
  std::int64_t threads = 0;
  std::int64_t open_files = 0;
  std::int64_t retries = 0;
  bool file_stats = false;  ///< count by file as well
  IdentityRule identity = IdentityRule::strict;
  int ranks_on_node = 1;
  const CopyKernels* kernels = &best_kernels();  ///< never null
};

/// Memory that the kernel may still write to outlives everything, the ledger that it is charged to included.
void keep_for_ever(std::shared_ptr<void> memory);

/// Not thread-safe; one run at a time. A run that fails has drained everything that was in flight.
class Engine {
 public:
  /// The backend is made here; `backend` overrides the table's (tests put doubles in).
  /// @param shelf  where its staging memory comes from; null: one of its own
  static Result<std::unique_ptr<Engine>> make(EngineSettings settings, const Opener& opener, Ledger& ledger,
                                              std::unique_ptr<Backend> backend = nullptr, SlabShelf* shelf = nullptr);
  virtual ~Engine() = default;

  /// Reads all that the source hands out. Afterwards each file's identity has been compared after its last read.
  virtual Status run(std::span<const InputFile> files, ReadSource& source, const Interrupt& interrupt) = 0;
  /// For the source of the run under way, on its thread: compares a file with what discover found, as is done when it
  /// is closed (a file that is not open has been compared then). Other files go on being read.
  virtual Status check_file(std::int64_t file) = 0;
  /// Counts since the last call, which a source may make during its run: bytes per way, requests, short reads, retries,
  /// fallbacks, opens, seconds. By file: of the last run and those of the same files before it.
  virtual LoadStats take_stats() = 0;
  [[nodiscard]] virtual const std::string& backend_name() const = 0;
  /// Requests were given up on: the kernel may still write to destinations of the last run. Whoever owns them hands
  /// them to keep_for_ever(), and the engine is not used again.
  [[nodiscard]] virtual bool has_lost_requests() const = 0;
};

}  // namespace loadstone::io
