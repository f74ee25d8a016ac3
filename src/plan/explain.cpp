// The plan as figures: what is carried out, counted.
#include "core/checked.hpp"
#include "core/text.hpp"
#include "plan/planner.hpp"
#include "plan/saturated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace loadstone::plan {
namespace {

/// Wanted bytes of all ranks together: each shard's selected elements, once a replica.
std::int64_t wanted_by_all(const Problem& problem) {
  const Distribution& tiles = problem.tiles;
  std::int64_t replicas = tiles.ranks();
  for (std::int64_t axis = 0; axis < tiles.ndim(); ++axis) replicas /= tiles.parts(axis);
  std::int64_t bytes = 0;
  for (std::size_t chain = 0; chain + 1 < problem.chain_starts.size(); ++chain) {
    const Shape selected = problem.chains.local_shape(static_cast<std::int64_t>(chain));
    const auto first = static_cast<std::size_t>(problem.chain_starts[chain]);
    const auto of_chain = checked_nbytes(selected, problem.dataset->shards[first].dtype.itemsize);
    bytes = saturated(checked_add(bytes, saturated(of_chain)));
  }
  return saturated(checked_multiply(bytes, replicas));
}

/// The smallest box around what a rank owns: its box, but for cyclic axes.
Box hull_of(const Distribution& distribution, std::int64_t rank) {
  Box box;
  for (std::int64_t axis = 0; axis < distribution.ndim(); ++axis) {
    const auto owned = distribution.intervals(rank, axis);
    box.push_back(owned.empty() ? Interval{} : Interval{owned.front().begin, owned.back().end});
  }
  return box;
}

RankPlan plan_of(const Problem& problem, const Sizes& sizes, std::int64_t rank) {
  RankPlan plan;
  plan.rank = static_cast<int>(rank);
  plan.box = hull_of(problem.target, rank);
  plan.overlaps = overlaps_of(problem, rank);
  for (const Overlap& overlap : plan.overlaps) plan.bytes_wanted += overlap.nbytes;
  for (const Move& move : moves_of(problem, rank)) {
    for_each_piece(move, must_stage(problem, move.shard), sizes, [&](const Piece& piece) {
      plan.bytes_read += piece.read_bytes();
      plan.requests += piece.runs * ceil_div(piece.run_bytes, sizes.request_bytes);
    });
  }
  return plan;
}

/// What makes staging necessary, for people.
std::string why_staged(const Problem& problem) {
  std::int64_t converted = 0;
  std::int64_t transposed = 0;
  const auto& shards = problem.dataset->shards;
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    if (needs_conversion(problem, static_cast<std::int64_t>(shard))) ++converted;
    if (shards[shard].order == StorageOrder::f) ++transposed;
  }
  std::vector<std::string> why;
  const auto of_all = [&](std::int64_t n) {
    return fmt::format("{} of {}", n, counted(std::ssize(problem.dataset->shards), "shard"));
  };
  if (converted > 0) why.push_back(of_all(converted) + " converted to " + problem.result_dtype.name());
  if (transposed > 0) why.push_back(of_all(transposed) + " transposed");
  if (problem.force_staging) why.emplace_back("as was asked for");
  if (why.empty()) why.emplace_back("short runs read with the gaps between them");
  return joined(why);
}

std::string reason_of(const Problem& problem, const Budgeting& budgeting, std::int64_t bytes_wanted) {
  if (bytes_wanted == 0) return "The result has no elements: nothing is read.";
  if (!budgeting.staging_needed) {
    return "Each rank reads the runs of its own box straight into its tile; nothing is exchanged.";
  }
  return fmt::format("Each rank reads the runs of its own box, through staging ({}); nothing is exchanged.",
                     why_staged(problem));
}

void add_ranks(LoadPlan& plan, const Problem& problem, const Sizes& sizes, std::optional<std::int64_t> only_rank) {
  const std::int64_t first = only_rank.value_or(0);
  const std::int64_t last = only_rank ? first + 1 : plan.total_ranks;
  for (std::int64_t rank = first; rank < last; ++rank) {
    plan.ranks.push_back(plan_of(problem, sizes, rank));
    plan.bytes_read = saturated(checked_add(plan.bytes_read, plan.ranks.back().bytes_read));
    plan.requests += plan.ranks.back().requests;
  }
  plan.totals_exact = last - first == plan.total_ranks;
}

}  // namespace

LoadPlan explain(const Problem& problem, const Budgeting& budgeting, std::optional<std::int64_t> only_rank) {
  LoadPlan plan;
  plan.strategy = "direct";
  plan.split = problem.target.split().value_or(-1);
  plan.tiles = problem.tiles_name;
  plan.shape = problem.target.shape();
  plan.dtype = problem.result_dtype;
  plan.budget_bytes = problem.budget_bytes;
  plan.budget_guessed = problem.budget_guessed;
  plan.smallest_budget_bytes = budgeting.smallest_bytes;
  plan.peak_bytes = budgeting.peak_bytes;
  plan.block_bytes = budgeting.blocks == 0 ? 0 : budgeting.sizes.block_bytes;
  plan.request_bytes = budgeting.sizes.request_bytes;
  plan.rounds = rounds_of(problem);
  plan.bytes_wanted = wanted_by_all(problem);
  plan.reason = reason_of(problem, budgeting, plan.bytes_wanted);
  plan.total_ranks = problem.target.ranks();
  add_ranks(plan, problem, budgeting.sizes, only_rank);
  return plan;
}

}  // namespace loadstone::plan
