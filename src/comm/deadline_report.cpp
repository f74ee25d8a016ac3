#include "comm/deadline_report.hpp"

#include "comm/abandon.hpp"
#include "comm/backoff.hpp"

#include <loadstone/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <set>
#include <utility>

namespace loadstone::comm {
namespace {

constexpr int kSignTag = 28000;
constexpr int kLeaveTag = 28001;
constexpr double kCollectSeconds = 2;
constexpr double kLeaveSeconds = 4;

/// A message of one byte, sent, or awaited as a sign of life or as the word that one may leave.
struct Message {
  enum class Use : std::uint8_t { sent, sign, leave };
  Use use = Use::sent;
  int peer = 0;
  bool done = false;    ///< it went through
  bool failed = false;  ///< it never will: the peer has left, say
  std::shared_ptr<std::byte> byte = std::make_shared<std::byte>();
  std::unique_ptr<CommRequest> request;
};

void write_line(const std::string& line) {
  const std::string whole = "loadstone: " + line + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
  std::fflush(stderr);
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

std::string own_line(const Communicator& comm, const Stuck& stuck) {
  const std::string round = stuck.round < 0 ? std::string() : fmt::format(", round {}", stuck.round);
  return fmt::format("rank {} of {} on {}, pid {}: no answer for {:g} s in phase {}{}: {}", comm.rank(), comm.size(),
                     host_name(), getpid(), stuck.seconds, stuck.phase.empty() ? "none" : stuck.phase, round,
                     stuck.what);
}

/// What the ranks that met the deadline tell each other, and who is not heard.
class Signs {
 public:
  Signs(Communicator& comm, const Clock& clock)
      : comm_(&comm), clock_(&clock), start_(clock()), collectors_{0, comm.size() / 2, comm.size() - 1} {}
  Signs(const Signs&) = delete;
  Signs& operator=(const Signs&) = delete;
  ~Signs() {
    for (Message& message : messages_) let_go(std::move(message.request), message.byte);
  }

  /// Tells the collectors that this rank lives.
  void begin() {
    for (int peer = 0; peer < comm_->size(); ++peer) {
      if (peer == comm_->rank()) continue;
      if (collects(peer)) send(peer, kSignTag);
      if (collects(comm_->rank())) receive(peer, kSignTag, Message::Use::sign);
      if (awaits(comm_->rank(), peer)) receive(peer, kLeaveTag, Message::Use::leave);
    }
  }

  /// The ranks that a collector does not hear in time; none on other ranks.
  std::vector<int> missing() {
    wait(kCollectSeconds, [this] { return all_settled(Message::Use::sign); });
    std::vector<int> ranks;
    for (const Message& message : messages_)
      if (message.use == Message::Use::sign && !message.done) ranks.push_back(message.peer);
    return ranks;
  }

  /// Returns when this rank may end. A launcher ends all ranks once one has ended, so the others stay until a collector
  /// has told who is missing, and collectors until those before them have: rank 0, which may have more to tell, is
  /// last.
  void leave(const std::vector<int>& missing) {
    wait(kLeaveSeconds, [&] { return may_leave(missing); });
    for (int peer = 0; peer < comm_->size(); ++peer)
      if (awaits(peer, comm_->rank())) send(peer, kLeaveTag);
    poll();
  }

 private:
  [[nodiscard]] bool collects(int rank) const { return collectors_.contains(rank); }
  [[nodiscard]] bool awaits(int rank, int word_of) const {
    return collects(word_of) && (!collects(rank) || word_of < rank) && word_of != rank;
  }

  void send(int to, int tag) {
    Message& message = messages_.emplace_back(Message{.peer = to});
    message.request = comm_->isend({message.byte.get(), 1}, to, tag);
  }

  void receive(int from, int tag, Message::Use use) {
    Message& message = messages_.emplace_back(Message{.use = use, .peer = from});
    message.request = comm_->irecv({message.byte.get(), 1}, from, tag);
  }

  void poll() {
    for (Message& message : messages_) {
      if (message.done || message.failed) continue;
      try {
        message.done = message.request->test();
      } catch (const std::exception& error) {
        message.failed = true;
        write_line(fmt::format("rank {}: {}", comm_->rank(), error.what()));
      }
    }
  }

  [[nodiscard]] bool all_settled(Message::Use use) const {
    return std::all_of(messages_.begin(), messages_.end(),
                       [use](const Message& message) { return message.use != use || message.done || message.failed; });
  }

  /// Whoever has the word of one, or waits for nobody that lives.
  [[nodiscard]] bool may_leave(const std::vector<int>& missing) const {
    bool waits = false;
    for (const Message& message : messages_) {
      if (message.use != Message::Use::leave || message.failed) continue;
      if (message.done) return true;
      waits = waits || std::find(missing.begin(), missing.end(), message.peer) == missing.end();
    }
    return !waits;
  }

  /// Until it holds, or so long after the deadline.
  template <class Condition>
  void wait(double seconds, const Condition& holds) {
    Backoff backoff;
    for (poll(); !holds() && (*clock_)() - start_ <= seconds; poll()) backoff.pause();
  }

  Communicator* comm_;
  const Clock* clock_;
  double start_;
  std::set<int> collectors_;
  std::deque<Message> messages_;
};

}  // namespace

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

std::vector<int> report_deadline(const std::shared_ptr<Communicator>& comm, const Clock& clock, const Stuck& stuck) {
  write_line(own_line(*comm, stuck));
  std::vector<int> missing;
  Signs signs(*comm, clock);
  try {
    signs.begin();
    missing = signs.missing();
    if (!missing.empty())
      write_line(fmt::format("rank {}: no sign of life from {}", comm->rank(), ranks_text(missing)));
    signs.leave(missing);
  } catch (const std::exception& error) {
    write_line(fmt::format("rank {}: {}", comm->rank(), error.what()));
  }
  return missing;
}

}  // namespace loadstone::comm
