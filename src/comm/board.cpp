#include "comm/board.hpp"

#include "comm/faults.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace loadstone::comm {
namespace {

void copy_bytes(std::byte* target, const std::byte* source, std::size_t nbytes) {
  if (nbytes > 0) std::memmove(target, source, nbytes);
}

void deliver(Letter& send, Letter& receive) {
  const bool fits = send.nbytes == receive.nbytes;
  if (fits) copy_bytes(receive.target, send.source, send.nbytes);
  send.wrong_length = receive.wrong_length = !fits;
  send.done.store(true, std::memory_order_release);
  receive.done.store(true, std::memory_order_release);
}

std::int64_t reduced(std::int64_t a, std::int64_t b, Reduce op) {
  switch (op) {
    case Reduce::max:
      return std::max(a, b);
    case Reduce::min:
      return std::min(a, b);
    case Reduce::sum:
      break;
  }
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t load_i64(std::span<const std::byte> bytes, std::size_t i) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

void allreduce(std::span<Contribution> all, Reduce op) {
  const std::size_t count = all.front().target.size() / sizeof(std::int64_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t value = load_i64(all.front().target, i);
    for (const Contribution& other : all.subspan(1)) value = reduced(value, load_i64(other.target, i), op);
    for (const Contribution& each : all) std::memcpy(each.target.data() + i * sizeof value, &value, sizeof value);
  }
}

void broadcast(std::span<Contribution> all, int root) {
  const std::span<const std::byte> source = all[static_cast<std::size_t>(root)].target;
  for (const Contribution& each : all) {
    if (each.target.data() != source.data()) copy_bytes(each.target.data(), source.data(), source.size());
  }
}

void allgatherv(std::span<Contribution> all) {
  std::size_t displacement = 0;
  for (const Contribution& from : all) {
    for (const Contribution& to : all)
      copy_bytes(to.target.data() + displacement, from.source.data(), from.source.size());
    displacement += from.source.size();
  }
}

}  // namespace

Board::Board(std::shared_ptr<Roster> roster)
    : roster_(std::move(roster)), next_meeting_(static_cast<std::size_t>(roster_->size())) {}

void Board::post(const Address& address, const std::shared_ptr<Letter>& letter) {
  std::shared_ptr<Letter> counterpart;
  {
    const std::lock_guard lock(mutex_);
    Queues& queues = queues_[address];
    auto& others = letter->is_send ? queues.receives : queues.sends;
    if (others.empty()) {
      (letter->is_send ? queues.sends : queues.receives).push_back(letter);
      return;
    }
    counterpart = std::move(others.front());
    others.pop_front();
    counterpart->matched = letter->matched = true;
    forget_if_empty(address);
  }
  if (letter->is_send) {
    deliver(*letter, *counterpart);
  } else {
    deliver(*counterpart, *letter);
  }
}

void Board::take_back(const Address& address, const std::shared_ptr<Letter>& letter) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!letter->matched) {
      const auto place = queues_.find(address);
      if (place == queues_.end()) return;
      std::erase(letter->is_send ? place->second.sends : place->second.receives, letter);
      return forget_if_empty(address);
    }
  }
  while (!letter->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

bool Board::is_waiting(const Letter& letter) {
  const std::lock_guard lock(mutex_);
  return !letter.matched;
}

void Board::forget_if_empty(const Address& address) {
  const auto place = queues_.find(address);
  if (place->second.sends.empty() && place->second.receives.empty()) queues_.erase(place);
}

void Meeting::fail(Failure why) {
  if (state.load(std::memory_order_relaxed) != State::open) return;
  fault = std::move(why);
  state.store(State::failed, std::memory_order_release);
}

void leave_meeting(Meeting& meeting) noexcept {
  const std::lock_guard lock(meeting.mutex);
  meeting.fail(comm_failure("comm.collective", "a rank gave up a collective call"));
}

std::shared_ptr<Meeting> Board::join(int rank) {
  const std::lock_guard lock(mutex_);
  const std::int64_t number = next_meeting_[static_cast<std::size_t>(rank)];
  std::shared_ptr<Meeting>& place = meetings_[number];
  if (place == nullptr) place = std::make_shared<Meeting>(roster_->size());
  ++next_meeting_[static_cast<std::size_t>(rank)];
  const std::shared_ptr<Meeting> meeting = place;
  if (++meeting->taken == roster_->size()) meetings_.erase(number);
  return meeting;
}

void Board::arrive(Meeting& meeting, int rank, const CollectiveTerms& terms, Contribution contribution) const {
  const std::lock_guard lock(meeting.mutex);
  if (meeting.arrived == 0) meeting.terms = terms;
  if (meeting.terms != terms)
    meeting.fail(comm_failure("comm.collective", "the ranks made different collective calls",
                              "Make the same calls in the same order on every rank."));
  contribution.arrived = true;
  meeting.contributions[static_cast<std::size_t>(rank)] = contribution;
  if (++meeting.arrived < roster_->size() || meeting.state != Meeting::State::open) return;
  carry_out(meeting);
  meeting.state.store(Meeting::State::done, std::memory_order_release);
}

void Board::carry_out(Meeting& meeting) const {
  switch (meeting.terms.verb) {
    case CollectiveTerms::Verb::allreduce:
      return allreduce(meeting.contributions, meeting.terms.op);
    case CollectiveTerms::Verb::broadcast:
      return broadcast(meeting.contributions, meeting.terms.root);
    case CollectiveTerms::Verb::allgatherv:
      return allgatherv(meeting.contributions);
    case CollectiveTerms::Verb::duplicate:
      meeting.copy = std::make_shared<Board>(roster_);
  }
}

}  // namespace loadstone::comm
