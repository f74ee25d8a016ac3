// Memory of the batches of a stream: how many may be on their way at once, and that of batches which nobody holds any
// more, to be used again.
#pragma once

#include "array/tile_memory.hpp"
#include "core/pages.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

namespace loadstone::loader {

/// Pages that are there already need not be made anew: that takes as long as a fifth of a read, and a core meanwhile.
/// Thread-safe. What batches hold outlives this.
///
/// Memory is on its way from take() to hand_over(), then the caller's until the last holder drops it, then idle. What
/// is on its way or idle is the stream's, at most `ahead` batches; while the caller holds none, one more, which is to
/// be the caller's next.
class BatchMemory {
 public:
  class Block;
  struct Taken {
    std::shared_ptr<TileMemory> tile;  ///< null: no room
    std::shared_ptr<Block> block;      ///< where it lies
    bool worth_waiting = false;        ///< none, out of patience only
    const Pages* pages = nullptr;      ///< the block's
  };

  /// @param batch_bytes  of the largest batch
  BatchMemory(std::int64_t ahead, std::int64_t batch_bytes, std::string huge_pages);
  ~BatchMemory();
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

  /// Memory for one more batch, if fewer than `ahead` are on their way.
  /// @param skew     of its start, beyond a multiple of kLandingAlignment; less than that
  /// @param patient  rather none than new memory while the caller holds more than one batch: a loop drops the last one
  ///                 only when it has the next
  Taken try_take(std::int64_t bytes, std::int64_t skew, bool patient);
  /// Waits until fewer than `ahead` are on their way. False if it was stopped.
  bool wait_for_room(const std::stop_token& stop);
  /// The batch is the caller's from now on.
  void hand_over(Block& block);

 private:
  struct Shelf;
  std::int64_t block_bytes_;
  std::string huge_pages_;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace loadstone::loader
