// What one rank reads: its moves become pieces, its pieces reads; staged pieces are placed when their bytes are there.
#pragma once

#include "comm/agree.hpp"
#include "core/kernels.hpp"
#include "io/engine.hpp"
#include "loader/shard_sums.hpp"
#include "loader/stager.hpp"
#include "plan/planner.hpp"

#include <loadstone/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace loadstone::loader {

/// Feeds the engine round by round, from one thread. When a run has ended, finish_placing() ends what its last pieces
/// need. The tags of its reads fit 32 bits.
class TileReader final : public io::ReadSource, private Stager::Owner {
 public:
  struct Context {
    const plan::Problem* problem = nullptr;
    plan::Sizes sizes;
    std::span<std::byte> tile;
    std::vector<plan::Move> moves;                 ///< of this rank, in the order of plan::moves_of
    std::int64_t first_file = 0;                   ///< of the dataset: file 0 of the engine
    Stager* stager = nullptr;                      ///< never null
    ShardSums* sums = nullptr;                     ///< null if nothing is verified
    comm::Agreement* agreement = nullptr;          ///< null: nobody to listen to
    std::function<void(std::int64_t)> progress;    ///< bytes read so far
    const CopyKernels* kernels = &best_kernels();  ///< never null
  };
  explicit TileReader(Context context);
  /// Waits for the pieces that are still being placed.
  ~TileReader() override;
  TileReader(const TileReader&) = delete;
  TileReader& operator=(const TileReader&) = delete;

  /// Allows `bytes` more to be handed out before next() says end.
  void open_round(std::int64_t bytes) { left_in_round_ = bytes; }
  /// Pieces of this reader are being placed.
  [[nodiscard]] bool placing() const noexcept { return placing_ > 0; }
  /// Waits for the pieces that are still being placed; the first failure among them.
  Status finish_placing();
  /// Of all placing threads together.
  [[nodiscard]] double place_seconds() const noexcept { return place_seconds_; }

  Next next(io::Read& read) override;
  Status done(const io::Read& read) override;
  [[nodiscard]] std::int64_t bytes_expected() const override { return bytes_expected_; }
  Status poll() override;

 private:
  bool fetch_piece();
  bool stage_piece();
  Next find_block();
  void hand_out(io::Read& read);
  Status place(const Stager::Staged& staged) const override;
  void placed(Status status, double seconds) override;
  void sum_up(const Stager::Staged& staged);
  [[nodiscard]] const Shard& shard(std::int64_t index) const;

  Context context_;
  std::size_t next_move_ = 0;
  std::optional<plan::PieceCursor> cursor_;
  std::optional<plan::Piece> piece_;
  std::int64_t next_run_ = 0;
  std::size_t slot_ = 0;  ///< of the staged piece under way
  std::int64_t left_in_round_ = 0;
  std::int64_t bytes_expected_ = 0;
  std::int64_t bytes_read_ = 0;
  std::int64_t placing_ = 0;
  double place_seconds_ = 0;
  Status placing_failed_;
};

}  // namespace loadstone::loader
