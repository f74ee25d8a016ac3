// How a budget is spent: one formula for what works at least, what is taken, and what the plan prints.
#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "plan/demand.hpp"
#include "plan/planner.hpp"
#include "plan/saturated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace loadstone::plan {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kPageBytes = 4096;
// A transposed block of this size holds 64 KiB runs of the file and 256-byte runs of the tile of 4-byte elements.
constexpr std::int64_t kTransposedBlockBytes = 4 * kMiB;
// IO-23: a small budget lowers the depth to 4, then the block to 256 KiB, then the depth to 1.
constexpr std::int64_t kSmallestBlockBytes = std::int64_t{256} * 1024;
constexpr std::int64_t kFewBlocks = 4;
// IO-22: 32 requests in flight per node keep every class of file system busy.
constexpr std::int64_t kMostBlocks = 32;
constexpr std::int64_t kRoundBytes = std::int64_t{1} << 30;

Fault too_small(const Problem& problem, std::int64_t smallest) {
  Fault fault;
  fault.code = Code::budget;
  fault.kind = "budget";
  fault.message = fmt::format("a budget of {} bytes a rank is too small, {} is the smallest that works",
                              grouped(problem.budget_bytes), grouped(smallest));
  fault.remedy = fmt::format("Set {} or more.", named(Option::budget, smallest));
  if (problem.budget_guessed) {
    fault.message += "; it was guessed from the memory that is free";
    fault.remedy = fmt::format("Set {} or more, or free memory.", named(Option::budget, smallest));
  }
  fault.item = "budget";
  fault.wanted = smallest;
  fault.got = problem.budget_bytes;
  return fault;
}

/// Grows the depth to a few blocks, then the block to its goal, then the depth to what keeps a device busy.
void spend(Budgeting& budgeting, std::int64_t available, std::int64_t smallest_block, std::int64_t goal,
           std::int64_t needed_bytes) {
  goal = std::min(goal, saturated(checked_add(needed_bytes, kPageBytes)));
  goal = std::max(round_down(goal, kPageBytes), smallest_block);
  const std::int64_t affordable =
      round_down(std::max<std::int64_t>(0, available / kFewBlocks - kEdgeBytes), kPageBytes);
  budgeting.sizes.block_bytes = std::clamp(affordable, smallest_block, goal);
  const std::int64_t affordable_blocks = available / (budgeting.sizes.block_bytes + kEdgeBytes);
  const std::int64_t useful_blocks = ceil_div(needed_bytes, budgeting.sizes.block_bytes);
  budgeting.blocks = std::max<std::int64_t>(1, std::min({affordable_blocks, useful_blocks, kMostBlocks}));
}

}  // namespace

Result<Budgeting> fit_budget(const Problem& problem) {
  const Demand demand = demand_of(problem);
  Budgeting budgeting;
  budgeting.sizes.request_bytes = problem.request_bytes > 0 ? problem.request_bytes : kDefaultRequestBytes;
  budgeting.staging_needed = demand.staging;
  budgeting.smallest_bytes = problem.metadata_bytes;
  const std::int64_t smallest_block = std::max(kSmallestBlockBytes, round_up(demand.largest_item, kPageBytes));
  if (demand.staging) budgeting.smallest_bytes += smallest_block + kEdgeBytes;
  if (problem.budget_bytes < budgeting.smallest_bytes) return too_small(problem, budgeting.smallest_bytes);
  if (demand.staging) {
    const std::int64_t goal = demand.transposed ? std::max(budgeting.sizes.request_bytes, kTransposedBlockBytes)
                                                : budgeting.sizes.request_bytes;
    spend(budgeting, problem.budget_bytes - problem.metadata_bytes, smallest_block, goal,
          most_staged_bytes(problem, demand));
  }
  budgeting.peak_bytes = problem.metadata_bytes + budgeting.blocks * (budgeting.sizes.block_bytes + kEdgeBytes);
  return budgeting;
}

std::int64_t rounds_of(const Problem& problem) {
  const std::int64_t bytes = largest_tile_elements(problem) * problem.result_dtype.itemsize;
  return std::max<std::int64_t>(1, ceil_div(bytes, kRoundBytes));
}

}  // namespace loadstone::plan
