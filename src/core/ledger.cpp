#include "core/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/option_words.hpp"
#include "core/text.hpp"

namespace loadstone {
namespace {

std::size_t index(Use use) { return static_cast<std::size_t>(use); }

}  // namespace

std::string_view to_string(Use use) noexcept {
  constexpr std::array<std::string_view, kUses> kNames = {"staging",  "mapped", "decode", "metadata",
                                                          "exchange", "pinned", "batches"};
  return kNames[index(use)];
}

Reservation::Reservation(Reservation&& other) noexcept
    : ledger_(std::exchange(other.ledger_, nullptr)), bytes_(std::exchange(other.bytes_, 0)), use_(other.use_) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    release();
    ledger_ = std::exchange(other.ledger_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    use_ = other.use_;
  }
  return *this;
}

Reservation::~Reservation() { release(); }

void Reservation::release() noexcept {
  if (ledger_ != nullptr) std::exchange(ledger_, nullptr)->give_back(std::exchange(bytes_, 0), use_);
}

Ledger::Ledger(std::int64_t limit_bytes) : limit_(limit_bytes) {}
Ledger::~Ledger() = default;

Fault Ledger::no_room(std::int64_t bytes) const {
  return {
      .code = Code::budget,
      .kind = "budget",
      .message = fmt::format("{} bytes are asked for at once, the budget is {} bytes", grouped(bytes), grouped(limit_)),
      .remedy = fmt::format("Set {} or more", named(Option::budget, bytes)),
      .wanted = bytes,
      .got = limit_};
}

Reservation Ledger::take(std::int64_t bytes, Use use) {
  held_ += bytes;
  peak_ = std::max(peak_, held_);
  held_by_use_[index(use)] += bytes;
  peak_by_use_[index(use)] = std::max(peak_by_use_[index(use)], held_by_use_[index(use)]);
  return {this, bytes, use};
}

void Ledger::reclaim_for(std::int64_t bytes) {
  if (!reclaim_) return;
  {
    const std::scoped_lock lock(mutex_);
    if (bytes <= limit_ - held_) return;
  }
  reclaim_();
}

Result<Reservation> Ledger::try_reserve(std::int64_t bytes, Use use) {
  reclaim_for(bytes);
  const std::scoped_lock lock(mutex_);
  if (bytes > limit_ - held_ || !waiting_.empty()) return no_room(bytes);
  return take(bytes, use);
}

Result<Reservation> Ledger::reserve(std::int64_t bytes, Use use, const Interrupt& interrupt) {
  reclaim_for(bytes);
  std::unique_lock lock(mutex_);
  if (bytes > limit_) return no_room(bytes);
  const int place = 0;  // its address is this caller's number in the queue
  waiting_.push_back(&place);
  Status waited = wait_for_turn(lock, &place, bytes, interrupt);
  Reservation reservation;
  if (waited.ok()) reservation = take(bytes, use);
  std::erase(waiting_, static_cast<const void*>(&place));
  freed_.notify_all();
  if (!waited.ok()) return waited;
  return reservation;
}

Status Ledger::wait_for_turn(std::unique_lock<std::mutex>& lock, const void* place, std::int64_t bytes,
                             const Interrupt& interrupt) {
  const auto is_first = [&] { return waiting_.front() == place; };
  const auto is_free = [&] { return bytes <= limit_ - held_; };
  double since = interrupt.clock();
  std::int64_t seen = held_;
  while (!is_first() || !is_free()) {
    // What was put aside meanwhile stays charged until it is asked back.
    if (is_first() && reclaim_) {
      lock.unlock();
      reclaim_();
      lock.lock();
      if (is_free()) break;
    }
    freed_.wait_for(lock, std::chrono::milliseconds(20));
    if (held_ != seen) {
      seen = held_;
      since = interrupt.clock();
    }
    if (interrupt.stop.stop_requested()) {
      return Fault{.code = Code::cancelled, .kind = "cancelled", .message = "stopped while waiting for the budget"};
    }
    if (interrupt.clock() - since > interrupt.deadline_s) return no_progress(interrupt.deadline_s);
  }
  return {};
}

Fault Ledger::no_progress(double deadline_s) const {
  return {.code = Code::deadline,
          .kind = "deadline",
          .message = fmt::format("no part of the budget came back within {} s; {} of {} bytes are held", deadline_s,
                                 grouped(held_), grouped(limit_)),
          .remedy = fmt::format("Raise {} or {}", named(Option::budget), named(Option::deadline))};
}

void Ledger::give_back(std::int64_t bytes, Use use) noexcept {
  const std::scoped_lock lock(mutex_);
  held_ -= bytes;
  held_by_use_[index(use)] -= bytes;
  freed_.notify_all();
}

std::int64_t Ledger::held_bytes() const {
  const std::scoped_lock lock(mutex_);
  return held_;
}

std::int64_t Ledger::peak_bytes() const {
  const std::scoped_lock lock(mutex_);
  return peak_;
}

std::int64_t Ledger::peak_bytes(Use use) const {
  const std::scoped_lock lock(mutex_);
  return peak_by_use_[index(use)];
}

void Ledger::reset_peak() {
  const std::scoped_lock lock(mutex_);
  peak_ = held_;
  peak_by_use_ = held_by_use_;
}

}  // namespace loadstone
