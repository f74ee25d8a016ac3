// Staged pieces on their way: the blocks that their bytes arrive in, and the threads that place them from there.
#pragma once

#include "core/status.hpp"
#include "io/staging.hpp"
#include "loader/placers.hpp"
#include "plan/planner.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loadstone::loader {

/// The staging blocks that a budget allows; null if none is needed. Its first block is taken at once, so that whatever
/// else the engine reserves, reading can always go on.
Result<std::unique_ptr<io::StagingPool>> make_staging_pool(io::SlabShelf& shelf, const plan::Budgeting& budgeting,
                                                           const std::string& huge_pages);

/// Shared by all tile readers of one run of the engine, and used by its thread. Also counts the reads that the engine
/// holds: a block comes back with one of them, or from a placing thread.
class Stager {
 public:
  struct Staged;
  /// Whom a piece belongs to. Outlives its pieces.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Moves the bytes from the block to where they belong; on any thread.
    virtual Status place(const Staged& staged) const = 0;
    /// It has been done; on the engine's thread.
    virtual void placed(Status status, double seconds) = 0;
  };
  struct Staged {
    Owner* owner = nullptr;
    plan::Piece piece;
    io::StagingLease lease;
    std::span<std::byte> bytes;  ///< the packed runs: the block from where it agrees with the file for direct reads
    std::int64_t runs_left = 0;
    double place_seconds = 0;
  };

  /// @param pool     null if nothing is staged
  /// @param threads  that place; 1: the engine's does
  Stager(io::StagingPool* pool, int threads) : pool_(pool), placers_(pool == nullptr ? 1 : threads) {}

  /// Gives a piece a block and a slot; empty if no block is to be had now.
  std::optional<std::size_t> try_stage(Owner& owner, const plan::Piece& piece);
  Staged& operator[](std::size_t slot) { return slots_[slot]; }
  /// All bytes of the piece are there: has its owner place them.
  void submit(std::size_t slot);
  /// Gives back the blocks of pieces that have been placed, and tells their owners; with `wait`, of at least one if any
  /// is being placed. Whether one came back.
  bool collect(bool wait);
  [[nodiscard]] bool placing() const { return placers_.busy(); }

  void read_begun() { ++reads_in_flight_; }
  void read_done() { --reads_in_flight_; }
  [[nodiscard]] std::int64_t reads_in_flight() const { return reads_in_flight_; }

 private:
  io::StagingPool* pool_;
  std::deque<Staged> slots_;  ///< stay where they are while placing threads work on them
  std::vector<std::size_t> idle_slots_;
  std::int64_t reads_in_flight_ = 0;
  Placers placers_;
};

}  // namespace loadstone::loader
