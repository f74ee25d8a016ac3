// The planner: from shards and a target distribution to overlaps, pieces and figures. Pure: no file, clock, environment
// or communicator. Everything that is carried out comes from here, so the plan printed is the plan carried out.
//
//   shards    |--- 0 ---|-- 1 --|------ 2 ------|      explicit cuts along the stack axis
//   tiles     |---- r0 ----|---- r1 ----|--- r2 ---|    any distribution of the selected array
//   overlaps  |--- a ---|b-|-c--|---d---|---- e ----|   a tile and a shard in common
#pragma once

#include "core/status.hpp"
#include "plan/selection.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/options.hpp>
#include <loadstone/plan.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace loadstone::plan {

/// One axis of a strided move between a file and a tile, in storage order (outermost first). Strides are in bytes and
/// positive in the file; a count of 1 has been dropped, mergeable axes have been merged.
struct MoveAxis {
  std::int64_t count = 0;
  std::int64_t file_stride = 0;
  std::int64_t tile_stride = 0;
  bool operator==(const MoveAxis&) const = default;
};

/// A strided set of elements of one shard and where each goes in the tile.
struct Move {
  std::int64_t shard = 0;
  std::int64_t file_offset = 0;  ///< of the first element
  std::int64_t tile_offset = 0;  ///< bytes from the start of the tile, of the first element, in the result's itemsize
  std::int64_t file_itemsize = 0;
  std::int64_t tile_itemsize = 0;
  std::vector<MoveAxis> axes;
  bool operator==(const Move&) const = default;

  [[nodiscard]] std::int64_t elements() const;
  /// Bytes of the file that are wanted.
  [[nodiscard]] std::int64_t wanted_bytes() const { return elements() * file_itemsize; }
};

/// A Move cut small: read as `runs` byte ranges of `run_bytes`, packed one after the other into one staging block, or
/// (in place) straight into the tile.
struct Piece {
  Move move;                   ///< the elements of this piece
  std::int64_t run_bytes = 0;  ///< of one contiguous range of the file (gaps that are read included)
  std::int64_t runs = 0;
  int run_axes = 0;       ///< the innermost axes of `move` that one run covers; the outer ones count the runs
  bool in_place = false;  ///< file bytes are already the elements, contiguous on both sides: no staging

  [[nodiscard]] std::int64_t read_bytes() const { return run_bytes * runs; }
  /// File offset of run i, in [0, runs).
  [[nodiscard]] std::int64_t run_offset(std::int64_t i) const;
  /// Tile offset of run i (in place only).
  [[nodiscard]] std::int64_t run_tile_offset(std::int64_t i) const;
};

/// How large things are cut. Constants carry their derivation in planner.cpp.
struct Sizes {
  std::int64_t request_bytes = std::int64_t{1} << 20;  ///< longest single read
  std::int64_t block_bytes = std::int64_t{1} << 20;    ///< one staging block
  std::int64_t gap_bytes = 64 * 1024;                  ///< unwanted bytes we rather read than skip (DS54)
};

/// Cuts a move into pieces of at most `block_bytes` of file bytes each (staged) or runs of at most `request_bytes`
/// (in place), calling `use` for each in file-offset order. Never allocates more than O(ndim).
/// @param convert  the file's bytes are not the elements (byte swap, cast): never in place
void for_each_piece(const Move& move, bool convert, const Sizes& sizes, const std::function<void(const Piece&)>& use);

/// The same as a generator, for a pipeline that pulls.
class PieceCursor {
 public:
  PieceCursor(Move move, bool convert, Sizes sizes);
  /// The next piece in file-offset order; empty at the end.
  std::optional<Piece> next();

 private:
  Move move_;
  Piece shape_;                          ///< of a full piece
  std::vector<std::int64_t> per_piece_;  ///< count of each axis in a full piece
  std::vector<std::int64_t> at_;         ///< start of the next piece
  bool done_ = false;
};

/// All that decides a load: the dataset's geometry, the agreed options, the target.
struct Problem {
  const Dataset* dataset = nullptr;
  ResolvedSelection selection;
  Distribution target;  ///< of the selected array
  DType result_dtype;   ///< native
  Casting casting = Casting::lossless;
  std::string tiles_name;  ///< for the report
  std::int64_t overdecompose = 1;
  std::int64_t budget_bytes = 0;
  bool budget_guessed = false;
  std::int64_t metadata_bytes = 0;  ///< dataset index and headers, charged to the budget
  std::int64_t request_bytes = 0;   ///< 0: the default
  bool force_staging = false;       ///< io.landing=staged
};

/// Checks options against the dataset and resolves them: selection, split axis, tiles, casts. All faults together:
/// bad_argument (split, select, rows), tiles.map, cast.lossy. Same answer on every rank.
Result<Problem> make_problem(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks);

/// The distribution of `extent` over `ranks` by DS43 to DS47 along an axis of `shape`.
Result<Distribution> make_tiles(const Shape& shape, std::optional<std::int64_t> split, const LoadOptions& options,
                                std::int64_t ranks);

/// The sizes that a budget allows, and the smallest budget that works. `budget` fault if it is too small, with wanted
/// (smallest) and got. Whether staging is needed at all depends on the shards that any rank reads.
struct Budgeting {
  Sizes sizes;
  bool staging_needed = false;
  std::int64_t blocks = 0;  ///< staging blocks a rank may hold at once
  std::int64_t smallest_bytes = 0;
  std::int64_t peak_bytes = 0;  ///< metadata + blocks
};
Result<Budgeting> fit_budget(const Problem& problem);

/// What one rank reads: overlaps in shard order. O(log shards + overlaps).
std::vector<Overlap> overlaps_of(const Problem& problem, std::int64_t rank);
/// The moves of one rank, in shard order; with overdecompose, tile part by tile part. Empty for an empty tile.
std::vector<Move> moves_of(const Problem& problem, std::int64_t rank);
/// Whether a shard's bytes must be converted on the way (swap or cast).
bool needs_conversion(const Problem& problem, std::int64_t shard);
/// Rounds of the load: agreed, so from the largest tile: at most 1 GiB a rank and round, at least one.
std::int64_t rounds_of(const Problem& problem);

/// The printable plan. With `only_rank`, one part; totals of wanted bytes are always over all ranks.
LoadPlan explain(const Problem& problem, const Budgeting& budgeting, std::optional<std::int64_t> only_rank);

}  // namespace loadstone::plan
