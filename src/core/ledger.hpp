// The budget ledger: every byte beyond the result is reserved here before it is allocated.
#pragma once

#include "core/interrupt.hpp"
#include "core/status.hpp"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace loadstone {

/// What a reservation is for; peaks are kept for each.
enum class Use : std::uint8_t { staging, mapped, decode, metadata, exchange, pinned, batches };
inline constexpr int kUses = 7;
std::string_view to_string(Use use) noexcept;

class Ledger;

/// A held piece of the budget. Move-only; gives itself back.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation();

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  void release() noexcept;

 private:
  friend class Ledger;
  Reservation(Ledger* ledger, std::int64_t bytes, Use use) : ledger_(ledger), bytes_(bytes), use_(use) {}
  Ledger* ledger_ = nullptr;
  std::int64_t bytes_ = 0;
  Use use_ = Use::staging;
};

/// Thread-safe. The sum of reservations never passes the limit: check, add and peak are one step.
class Ledger {
 public:
  explicit Ledger(std::int64_t limit_bytes);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Waits, first come first served, until `bytes` are free. More than the limit fails at once with `budget`;
  /// a stop is `cancelled`, no progress within the deadline is `deadline`.
  Result<Reservation> reserve(std::int64_t bytes, Use use, const Interrupt& interrupt);
  /// The same without waiting: `budget` if the bytes are not free now.
  Result<Reservation> try_reserve(std::int64_t bytes, Use use);

  /// Called before a reservation is refused, and while one waits; what it gives back may be enough. It must not
  /// reserve. Set and cleared while nobody reserves.
  void set_reclaim(std::function<void()> reclaim) { reclaim_ = std::move(reclaim); }

  /// The `budget` fault of a reservation that is refused.
  [[nodiscard]] Fault no_room(std::int64_t bytes) const;
  [[nodiscard]] std::int64_t limit_bytes() const noexcept { return limit_; }
  [[nodiscard]] std::int64_t held_bytes() const;
  [[nodiscard]] std::int64_t peak_bytes() const;
  [[nodiscard]] std::int64_t peak_bytes(Use use) const;
  /// Starts a new peak at what is held now (a second load in one context has its own peak).
  void reset_peak();

 private:
  friend class Reservation;
  void give_back(std::int64_t bytes, Use use) noexcept;
  Reservation take(std::int64_t bytes, Use use);
  Status wait_for_turn(std::unique_lock<std::mutex>& lock, const void* place, std::int64_t bytes,
                       const Interrupt& interrupt);
  [[nodiscard]] Fault no_progress(double deadline_s) const;
  void reclaim_for(std::int64_t bytes);

  const std::int64_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::deque<const void*> waiting_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
  std::array<std::int64_t, kUses> held_by_use_{};
  std::array<std::int64_t, kUses> peak_by_use_{};
  std::function<void()> reclaim_;
};

}  // namespace loadstone
