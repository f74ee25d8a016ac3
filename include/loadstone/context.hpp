// What several loads of a process share: staging memory, and the budget it is taken from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace loadstone {

/// Loads and streams that are given the same context use the staging memory of those before again: the second of two
/// equal loads asks the system for none. Each rank has a context of its own. Thread-safe; loads may run at once.
class Context {
 public:
  /// @param budget_bytes  what all loads under way in it, and the memory that is kept for the next, may take together.
  ///                      A load takes what is free of it, or the budget that it is given; more than is free is
  ///                      Error{budget} at once: a load that waited for another one here, while that one's other ranks
  ///                      wait for this one elsewhere, would wait for ever, and so would a load for an open stream of
  ///                      its own thread. Empty: each load keeps its own budget, and so does what is left of the last.
  explicit Context(std::optional<std::int64_t> budget_bytes = std::nullopt);
  /// Gives back what is kept. Loads that are under way keep what they use until they end.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] std::optional<std::int64_t> budget_bytes() const noexcept;
  /// Memory that is kept for the next load.
  [[nodiscard]] std::int64_t idle_bytes() const;
  /// Gives it back to the system.
  void trim();

  /// Internal: what sessions of loads work with.
  struct State;
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace loadstone
