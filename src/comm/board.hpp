// Ranks of one process: a board on which operations meet. Whoever completes a match moves the bytes.
#pragma once

#include <loadstone/communicator.hpp>
#include <loadstone/error.hpp>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace loadstone::comm {

/// Who has left, shared by all boards of one group of ranks.
class Roster {
 public:
  explicit Roster(int ranks) : left_(static_cast<std::size_t>(ranks)) {}
  [[nodiscard]] int size() const noexcept { return static_cast<int>(left_.size()); }
  void leave(int rank) noexcept { left_[static_cast<std::size_t>(rank)].store(true); }
  [[nodiscard]] bool has_left(int rank) const noexcept { return left_[static_cast<std::size_t>(rank)].load(); }

 private:
  std::vector<std::atomic<bool>> left_;
};

/// Where messages meet.
struct Address {
  int from = 0;
  int to = 0;
  int tag = 0;
  auto operator<=>(const Address&) const = default;
};

/// One message or the wait for one. Guarded by the board's mutex until `matched`; then the matching side owns it.
struct Letter {
  bool is_send = false;
  std::byte* target = nullptr;        ///< of a receive
  const std::byte* source = nullptr;  ///< of a send
  std::size_t nbytes = 0;
  bool matched = false;
  bool wrong_length = false;
  std::atomic<bool> done = false;
};

/// What a collective call does; ranks whose terms differ have lost their order.
struct CollectiveTerms {
  enum class Verb : std::uint8_t { allreduce, broadcast, allgatherv, duplicate };
  Verb verb = Verb::duplicate;
  Reduce op = Reduce::max;
  int root = 0;
  std::int64_t nbytes = 0;
  bool operator==(const CollectiveTerms&) const = default;
};

/// What a rank brings to a collective call.
struct Contribution {
  bool arrived = false;
  std::span<const std::byte> source;
  std::span<std::byte> target;
};

class Board;

/// One collective call; the rank that arrives last carries it out.
struct Meeting {
  explicit Meeting(int ranks) : contributions(static_cast<std::size_t>(ranks)) {}
  std::mutex mutex;
  CollectiveTerms terms;
  std::vector<Contribution> contributions;
  int arrived = 0;
  int taken = 0;                ///< ranks that have joined; guarded by the board's mutex
  Failure fault;                ///< why it failed; written before `state`
  std::shared_ptr<Board> copy;  ///< of duplicate
  enum class State : std::uint8_t { open, done, failed };
  std::atomic<State> state = State::open;

  /// Ends the meeting for everybody, with the mutex held. The first reason stays.
  void fail(Failure why);
};

/// The message space of one communicator of one process.
class Board {
 public:
  explicit Board(std::shared_ptr<Roster> roster);

  [[nodiscard]] const Roster& roster() const noexcept { return *roster_; }
  /// Posts a send or a receive; moves the bytes if its counterpart is there.
  void post(const Address& address, const std::shared_ptr<Letter>& letter);
  /// Takes an unmatched letter back; waits for one that is being copied.
  void take_back(const Address& address, const std::shared_ptr<Letter>& letter) noexcept;
  /// Whether a letter still waits for its counterpart.
  bool is_waiting(const Letter& letter);
  /// The meeting of the rank's next collective call.
  std::shared_ptr<Meeting> join(int rank);
  /// Brings a contribution; the last one carries the call out.
  void arrive(Meeting& meeting, int rank, const CollectiveTerms& terms, Contribution contribution) const;

 private:
  struct Queues {
    std::deque<std::shared_ptr<Letter>> sends;
    std::deque<std::shared_ptr<Letter>> receives;
  };
  void carry_out(Meeting& meeting) const;
  void forget_if_empty(const Address& address);

  std::shared_ptr<Roster> roster_;
  std::mutex mutex_;
  std::map<Address, Queues> queues_;
  std::map<std::int64_t, std::shared_ptr<Meeting>> meetings_;
  std::vector<std::int64_t> next_meeting_;
};

/// Gives up a rank's part in a meeting that has not ended: it fails for everybody, and no buffer of the rank is
/// touched.
void leave_meeting(Meeting& meeting) noexcept;

/// A rank's communicator over a board. Keeps the board.
std::shared_ptr<Communicator> board_communicator(std::shared_ptr<Board> board, int rank, std::string description);

/// Error{comm} of a rank that waits for one that has left.
inline constexpr const char* kRankLeft = "comm.rank_left";

}  // namespace loadstone::comm
