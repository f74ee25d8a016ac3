// Same verdict on all ranks (reliability.md section 4): after every phase, one 8-byte allreduce; on failure the
// winner's record. Nobody waits for a rank that left, and the communicator can be used afterwards.
#pragma once

#include "core/interrupt.hpp"
#include "core/status.hpp"

#include <loadstone/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::comm {

/// Waits for a request: polls with back-off from 1 us to 1 ms (yielding first), watches stop and deadline. A failure
/// may leave the request unfinished: give it to `let_go` (comm/abandon.hpp) with the memory it works on.
Status wait(CommRequest& request, const Interrupt& interrupt, std::string_view what);

/// What all ranks gave.
struct Gathered {
  std::vector<std::byte> bytes;     ///< in rank order
  std::vector<std::int64_t> sizes;  ///< one a rank

  /// Calls `use` with what each rank gave, in rank order.
  template <class Use>
  void for_each(const Use& use) const {
    std::size_t at = 0;
    for (const std::int64_t size : sizes) {
      use(std::span(bytes).subspan(at, static_cast<std::size_t>(size)));
      at += static_cast<std::size_t>(size);
    }
  }
};

/// One collective call's agreement: phases, verdicts, the stop notice. Lives on the stack of `load` and its kind.
/// Every rank makes the same calls in the same order, whatever happens to it.
class Agreement {
 public:
  /// @param on_deadline  called with the `deadline` failure after this rank has reported it to standard error; may end
  ///                     the job (reliability.md A9). Without it the failure is returned and the agreement is broken.
  Agreement(std::shared_ptr<Communicator> comm, Interrupt interrupt,
            std::function<void(const Failure&)> on_deadline = {});
  ~Agreement();  ///< never communicates
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] const Interrupt& interrupt() const noexcept;
  /// For later waits: what settings say is known only once the ranks have agreed on those. Local.
  void set_deadline(double seconds) noexcept;

  /// Ends a phase. Collective. Success iff every rank's `mine` is; else the same failure on every rank (the worst
  /// severity, then the highest code, then the lowest rank), with phase and round filled in. A rank's own, other
  /// failure is kept in `local()`. Failures that all ranks built alike from gathered data carry rank -1 and keep it, so
  /// the text does not depend on the rank count: where all ranks bring equal faults, the rank stays as they set it,
  /// else an unset rank becomes the winner's.
  Status verdict(std::string_view phase, Status mine, std::int64_t round = -1);

  /// True once the transport failed or a deadline passed: every later call fails at once with `comm`.
  [[nodiscard]] bool broken() const noexcept;

  /// In a phase, between requests: true once a peer has failed (which is told on) or the agreement is broken; the
  /// rank then stops and goes to the verdict with `peer_failed()`. Local, cheap.
  bool peer_has_failed();
  /// Tells the peers that this rank has failed, before it reaches the verdict. Local (posts sends).
  void announce_failure();
  /// The status of a rank that stopped because a peer failed (severity 1: never wins against a real error).
  static Status peer_failed();

  /// This rank's own failure of the last verdict, where another's won. Null if none.
  [[nodiscard]] const Failure* local() const noexcept;

  // Collectives with the deadline watched. A failure of the transport is `comm` and breaks the agreement: all later
  // calls fail at once. Those that need memory take `ready`, a rank's failure to have something to give: it is agreed
  // on as by verdict(phase), and so is a refusal of the memory for what the others give. None throws for want of memory
  // while the others wait.
  Status allreduce(std::span<std::int64_t> values, Reduce op);
  /// `bytes` is resized on the other ranks.
  Status broadcast(std::vector<std::byte>& bytes, int root, std::string_view phase, Status ready = {});
  Result<Gathered> allgather(std::span<const std::byte> mine, std::string_view phase, Status ready = {});

  /// Compares a text over ranks. Equal everywhere: success. Else the same `ranks.differ` failure on all, naming the
  /// first rank that differs from rank 0 and both texts (cut). Collective; by hash MIN and MAX, the texts only travel
  /// where they differ.
  Status same_everywhere(std::string_view what, std::string_view text, std::string_view phase, Status ready = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadstone::comm
