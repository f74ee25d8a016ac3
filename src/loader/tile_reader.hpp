// What one rank reads: its moves become pieces, its pieces reads; staged pieces are placed when their bytes are there.
#pragma once

#include "comm/agree.hpp"
#include "core/kernels.hpp"
#include "io/engine.hpp"
#include "io/staging.hpp"
#include "loader/placers.hpp"
#include "loader/shard_sums.hpp"
#include "plan/planner.hpp"

#include <loadstone/options.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace loadstone::loader {

/// Feeds the engine round by round, from one thread. When a run has ended, finish_placing() ends what its last pieces
/// need.
class TileReader final : public io::ReadSource {
 public:
  struct Context {
    const plan::Problem* problem = nullptr;
    plan::Sizes sizes;
    std::span<std::byte> tile;
    std::vector<plan::Move> moves;                 ///< of this rank, in the order of plan::moves_of
    std::int64_t first_file = 0;                   ///< of the dataset: file 0 of the engine
    io::StagingPool* pool = nullptr;               ///< null if nothing is staged
    ShardSums* sums = nullptr;                     ///< null if nothing is verified
    comm::Agreement* agreement = nullptr;          ///< null: nobody to listen to
    std::function<void(std::int64_t)> progress;    ///< bytes read so far
    int threads = 1;                               ///< that place; 1: the calling thread does
    const CopyKernels* kernels = &best_kernels();  ///< never null
  };
  explicit TileReader(Context context);

  /// Allows `bytes` more to be handed out before next() says end.
  void open_round(std::int64_t bytes) { left_in_round_ = bytes; }
  /// Waits for the pieces that are still being placed; the first failure among them.
  Status finish_placing();
  /// Of all placing threads together.
  [[nodiscard]] double place_seconds() const noexcept { return place_seconds_; }

  Next next(io::Read& read) override;
  Status done(const io::Read& read) override;
  Status poll() override;

 private:
  struct Slot {
    plan::Piece piece;
    io::StagingLease lease;
    std::span<std::byte> bytes;  ///< the packed runs: the block from where it agrees with the file for direct reads
    std::int64_t runs_left = 0;
    double place_seconds = 0;
  };
  bool fetch_piece();
  bool stage_piece();
  Next find_block();
  void hand_out(io::Read& read);
  Status place(Slot& slot) const;
  Status take_placed(bool wait);
  void sum_up(const Slot& slot);
  [[nodiscard]] const Shard& shard(std::int64_t index) const;

  Context context_;
  std::size_t next_move_ = 0;
  std::optional<plan::PieceCursor> cursor_;
  std::optional<plan::Piece> piece_;
  std::int64_t next_run_ = 0;
  std::size_t slot_ = 0;    ///< of the staged piece under way
  std::deque<Slot> slots_;  ///< stays where it is while placing threads work on it
  std::vector<std::size_t> idle_slots_;
  std::int64_t left_in_round_ = 0;
  std::int64_t bytes_read_ = 0;
  std::int64_t in_flight_ = 0;  ///< reads that the engine holds
  double place_seconds_ = 0;
  Status placing_failed_;
  Placers placers_;
};

}  // namespace loadstone::loader
