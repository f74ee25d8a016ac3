// The communicator seam: how ranks reach each other. Few verbs, all non-blocking; waiting is done by one function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace loadstone {

/// One operation under way. Destroying an unfinished one is legal only after the communicator has failed, but for a
/// receive that no message is under way for.
class CommRequest {
 public:
  CommRequest() = default;
  CommRequest(const CommRequest&) = delete;
  CommRequest& operator=(const CommRequest&) = delete;
  virtual ~CommRequest() = default;

  /// True once done; never blocks. Throws Error{comm} if the transport failed.
  virtual bool test() = 0;
  /// Gives the operation up. Local. True if the transport will not touch the buffers any more; else they must live as
  /// long as the process. An operation that was not a receive leaves the communicator unusable.
  virtual bool withdraw() noexcept = 0;
};

enum class Reduce : std::uint8_t { max, min, sum };

/// A group of ranks with a message space of its own. Calls of one communicator come from one thread at a time, and
/// collective ones in the same order on every rank. Buffers stay the caller's and must outlive the request.
/// Counts are 64-bit; implementations split what their transport cannot carry at once. Tags from 28,000 up belong to
/// Loadstone's own notices.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;  ///< never communicates

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// "self", "threads", "mpi (Open MPI v4.1.4 ...)".
  [[nodiscard]] virtual std::string description() const = 0;

  /// Point to point, to itself too; `tag` in [0, 32767]; messages between two ranks with one tag arrive in order.
  /// Both sides give the same length. A send may stay unfinished until its receive is posted.
  virtual std::unique_ptr<CommRequest> isend(std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual std::unique_ptr<CommRequest> irecv(std::span<std::byte> bytes, int from, int tag) = 0;
  /// Collective. In place, element by element, same length on every rank.
  virtual std::unique_ptr<CommRequest> iallreduce(std::span<std::int64_t> values, Reduce op) = 0;
  /// Collective. `bytes` of rank `root` to all; same length on every rank.
  virtual std::unique_ptr<CommRequest> ibroadcast(std::span<std::byte> bytes, int root) = 0;
  /// Collective. Rank r's `mine` (all[displacement of r, + counts[r])) to every rank; counts are equal everywhere,
  /// `all` holds their sum, in rank order, and does not overlap `mine`.
  virtual std::unique_ptr<CommRequest> iallgatherv(std::span<const std::byte> mine, std::span<std::byte> all,
                                                   std::span<const std::int64_t> counts) = 0;
  /// Collective. A new communicator of the same ranks with a message space of its own.
  virtual std::shared_ptr<Communicator> duplicate() = 0;

  /// Numbers the collective calls over this communicator: 0, 1, 2, ...; equal on all ranks, which make the same calls
  /// in the same order. Local.
  [[nodiscard]] std::int64_t next_serial() noexcept { return serial_++; }

 private:
  std::int64_t serial_ = 0;
};

/// This process alone: rank 0 of 1.
std::shared_ptr<Communicator> self_communicator();

/// Runs `body` on `ranks` threads of this process, each with its rank's communicator, and joins them.
/// Rethrows the exception of the lowest rank that threw; a "comm.rank_left" counts only where there is no other.
/// A rank whose body ended, well or not, has left: whoever still waits for it gets Error{comm}, "comm.rank_left", and
/// so comes to its end as well. No other wait is cut short: a body that waits on something else must end by itself.
void run_threads(int ranks, const std::function<void(const std::shared_ptr<Communicator>&)>& body);

/// The world of the launcher that started this process (Open MPI, MPICH), through a module loaded at run time;
/// self_communicator() if no launcher started more than one rank. Initialises MPI if nobody has.
/// Error{comm} if the launcher's stack has no module here, naming both.
std::shared_ptr<Communicator> world_communicator();

}  // namespace loadstone
