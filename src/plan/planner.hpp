// The planner: from shards and a target distribution to overlaps, pieces and figures. Pure: no file, clock, environment
// or communicator. Everything that is carried out comes from here, so the plan printed is the plan carried out.
//
//   shards    |--- 0 ---|-- 1 --|------ 2 ------|      explicit cuts along the stack axis
//   tiles     |---- r0 ----|---- r1 ----|--- r2 ---|    any distribution of the selected array
//   overlaps  |--- a ---|b-|-c--|---d---|---- e ----|   a tile and a shard in common
#pragma once

#include "core/status.hpp"
#include "plan/pieces.hpp"
#include "plan/selection.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/options.hpp>
#include <loadstone/plan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadstone::plan {

/// All that decides a load: the dataset's geometry, the agreed options, the target.
struct Problem {
  const Dataset* dataset = nullptr;
  ResolvedSelection selection;
  Distribution target;  ///< of the selected array
  Distribution tiles;   ///< the same with the axes that the selection drops, of extent 1: as many axes as the dataset
  Distribution shards;  ///< of the same array: the selected rows of shard s are those of "rank" s
  std::vector<std::int64_t> chain_starts;  ///< as chain_starts() says
  Distribution chains;                     ///< of the same array: the selected rows of chain c are those of "rank" c
  DType result_dtype;                      ///< native
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
/// select, rows, split, tiles.map, overdecompose, layout.ranks (bad_argument); cast.lossy (lossy) and cast.unsupported
/// (unsupported), one a stored type, naming its first shard; result.size (too_large). Same answer on every rank.
/// Sets the budget to the option's (0 if empty) and no metadata: the caller settles both before fit_budget.
Result<Problem> make_problem(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks);

/// The distribution of an array of `shape` over `ranks` by DS43 to DS47: balanced, ceiling or explicit lengths along
/// the split axis, or replicated (no split, or no axes).
Result<Distribution> make_tiles(const Shape& shape, std::optional<std::int64_t> split, const LoadOptions& options,
                                std::int64_t ranks);

/// Where none was asked for. IO-22: the device is busy with 8 MiB in flight, as 128 KiB x 32 ... 4 MiB x 4; this is in
/// the middle of that.
inline constexpr std::int64_t kDefaultRequestBytes = std::int64_t{1} << 20;

/// Beside each staging block: the head and tail of a direct read, rounded outwards to whole blocks of the device
/// (IO-18).
inline constexpr std::int64_t kEdgeBytes = std::int64_t{8} * 1024;

/// The sizes that a budget allows, and the smallest budget that works. Whether staging is needed at all depends on the
/// shards that any rank reads; the answer is the same on every rank.
struct Budgeting {
  Sizes sizes;  ///< block_bytes is a multiple of 4 KiB
  bool staging_needed = false;
  std::int64_t blocks = 0;          ///< staging blocks a rank may hold at once; 0 if none is needed
  std::int64_t smallest_bytes = 0;  ///< metadata, and one smallest block with its edges if staging is needed
  std::int64_t peak_bytes = 0;      ///< metadata + blocks with their edges
};
/// `budget` fault if it is too small, with wanted (smallest) and got.
Result<Budgeting> fit_budget(const Problem& problem);

/// What one rank reads: overlaps in shard order. O(log shards + overlaps).
std::vector<Overlap> overlaps_of(const Problem& problem, std::int64_t rank);
/// The moves of one rank, one a chain and box, file by file and each from its start to its end, whatever the order of
/// the shards; with overdecompose, tile part by tile part. None is empty.
std::vector<Move> moves_of(const Problem& problem, std::int64_t rank);
/// Whether a shard's bytes must be converted on the way (swap or cast).
bool needs_conversion(const Problem& problem, std::int64_t shard);
/// Whether a shard's bytes may not land in place whatever their shape: conversion, or staging that was asked for.
/// This is what PieceCursor takes as `convert`.
bool must_stage(const Problem& problem, std::int64_t shard);
/// Rounds of the load: agreed, so from the largest tile: at most 1 GiB a rank and round, at least one.
std::int64_t rounds_of(const Problem& problem);

/// The printable plan. With `only_rank`, one part; totals of wanted bytes are always over all ranks.
LoadPlan explain(const Problem& problem, const Budgeting& budgeting, std::optional<std::int64_t> only_rank);

}  // namespace loadstone::plan
