#include "loader/stream_plan.hpp"

#include <utility>

#include "core/checked.hpp"

namespace loadstone::loader {
namespace {

// What keeps a fast device busy while a batch is handed over: 32 MiB in flight read 1.9 GB/s where 16 MiB read 1.4.
constexpr std::int64_t kInFlightBytes = std::int64_t{48} << 20;
constexpr std::int64_t kFewestAhead = 2;
// Small batches gain little from more, and their memory is the caller's budget.
constexpr std::int64_t kMostAhead = 8;

std::int64_t wanted_ahead(std::int64_t batch_bytes, std::int64_t batches) {
  const std::int64_t busy = batch_bytes == 0 ? kMostAhead : ceil_div(kInFlightBytes, batch_bytes) + 1;
  return std::clamp(std::min(busy, batches), kFewestAhead, kMostAhead);
}

std::optional<std::int64_t> bytes_of_batch(const Dataset& dataset, const LoadOptions& options, const BatchCuts& cuts,
                                           const Settings& settings) {
  const auto problem = make_problem(dataset, options_of_rows(options, cuts.batch(0)), 1, settings);
  if (!problem.ok()) return std::nullopt;
  return checked_multiply(elements_of(problem->target.box(0)), problem->result_dtype.itemsize);
}

/// Whether so much may be taken from the budget: what is left must do for every batch. Where batches are staged their
/// blocks decide how much is in flight, so half is left for those.
std::optional<plan::Budgeting> fit_rest(plan::Problem whole, std::int64_t ahead, std::int64_t batch_bytes) {
  const std::optional<std::int64_t> taken = checked_multiply(ahead, batch_bytes);
  const std::int64_t budget = whole.budget_bytes;
  if (!taken || *taken > budget) return std::nullopt;
  whole.budget_bytes -= *taken;
  auto rest = plan::fit_budget(whole);
  if (!rest.ok()) return std::nullopt;
  if (rest->staging_needed && *taken > budget / 2 && ahead > kFewestAhead) return std::nullopt;
  return std::move(rest).value();
}

}  // namespace

LoadOptions options_of_rows(LoadOptions options, const Slice& rows) {
  options.rows = rows;
  return options;
}

std::optional<StreamPlan> plan_stream(const Dataset& dataset, const LoadOptions& options, const BatchCuts& cuts,
                                      Settings settings) {
  if (cuts.count() < 2) return std::nullopt;
  const auto batch_bytes = bytes_of_batch(dataset, options, cuts, settings);
  auto whole = make_problem(dataset, options_of_rows(options, cuts.all()), 1, settings);
  if (!batch_bytes || !whole.ok()) return std::nullopt;
  StreamPlan stream;
  stream.batch_bytes = *batch_bytes;
  stream.metadata_bytes = whole->metadata_bytes;
  for (stream.ahead = wanted_ahead(*batch_bytes, cuts.count()); stream.ahead >= kFewestAhead; --stream.ahead) {
    auto budgeting = fit_rest(*whole, stream.ahead, *batch_bytes);
    if (!budgeting) continue;
    stream.budgeting = std::move(*budgeting);
    const TilePlan tile = plan_tile(std::move(whole).value(), 0);
    stream.bytes_wanted = tile.bytes_wanted;
    stream.files = input_files(dataset, tile.moves);
    return stream;
  }
  return std::nullopt;
}

}  // namespace loadstone::loader
