// The backend seam: seven verbs and no policy. Splitting, retrying, falling back, counting and error text live once, in
// the engine. A backend never retries, shortens a request, throws out of wait, or logs.
#pragma once

#include "core/interrupt.hpp"
#include "core/status.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::io {

enum class Operation : std::uint8_t { read, write, sync };
/// `nowait`: EAGAIN rather than waiting for the storage. `uncached`: buffered, and what it brings into the page cache
/// goes again (Linux 6.14; EOPNOTSUPP before).
enum class Mode : std::uint8_t { buffered, nowait, uncached, direct };

/// At most 1 GiB. The iovecs and what they point to outlive the completion.
struct Request {
  std::uint64_t tag = 0;
  Operation operation = Operation::read;
  int slot = -1;  ///< what attach() returned
  std::int64_t offset = 0;
  std::span<const iovec> iovecs;
  Mode mode = Mode::buffered;
};
inline constexpr std::int64_t kMaxRequestBytes = std::int64_t{1} << 30;

struct Completion {
  std::uint64_t tag = 0;
  std::int64_t result = 0;  ///< bytes >= 0, or -errno
};

struct Support {
  bool usable = false;
  std::string reason;  ///< why not, for a person to act on; empty if usable
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// A slot for a descriptor; the descriptor stays the caller's. The default (slot = descriptor) is right for everyone.
  virtual int attach(int fd) { return fd; }
  /// Called once, before the descriptor is closed; the slot may be another file's from now on. Requests under way still
  /// go to the file that they were meant for.
  virtual void detach(int slot) { (void)slot; }
  /// An optional speed-up for memory that will be read into often: its pages stay where they are until it is
  /// unregistered. Refused memory is read into as any other. Ranges that are registered do not overlap.
  virtual void register_memory(std::span<std::byte> memory) { (void)memory; }
  /// Called before the memory goes back to the system; requests under way into it still come back. Nothing if the very
  /// range is not registered.
  virtual void unregister_memory(std::span<std::byte> memory) { (void)memory; }
  /// Takes as many as fit and says how many; never blocks, never allocates. Each accepted request yields exactly one
  /// completion. `direct` requests go to descriptors that the caller opened for direct I/O.
  virtual int submit(std::span<const Request> requests) = 0;
  /// Completions in any order; fewer than `min` on deadline or stop. Valid until the next call.
  virtual std::span<const Completion> wait(int min, const Interrupt& interrupt) = 0;
  /// Best effort; the completion still comes.
  virtual void cancel(std::uint64_t tag) = 0;
  /// Waits for all completions until the deadline and drops them; returns the tags that never came.
  virtual std::vector<std::uint64_t> close(const Interrupt& interrupt) = 0;
};

/// One row of the table of backends. `make` is null where it is not built or cannot be chosen whole.
struct BackendEntry {
  std::string_view name;
  bool built = false;
  std::string_view summary;
  Support (*probe)() = nullptr;
  std::unique_ptr<Backend> (*make)(int depth) = nullptr;
};

/// posix, uring, mmap, gds: the one place that knows them all.
std::span<const BackendEntry> backend_table();
/// "auto" is uring if usable, else posix. Forcing an unusable one is an error with the reason and the choices.
Result<std::unique_ptr<Backend>> make_backend(std::string_view name, int depth, std::string* chosen);
/// Why "auto" made something else than an io_uring; empty where this build has none.
std::string why_no_ring();

}  // namespace loadstone::io
