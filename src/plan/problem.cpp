// From a dataset and options to a problem whose parts fit together.
#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "core/transfer.hpp"
#include "plan/chains.hpp"
#include "plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace loadstone::plan {
namespace {

using Faults = std::vector<Fault>;

void collect(Faults& all, Failure failure) {
  all.insert(all.end(), std::make_move_iterator(failure.faults.begin()), std::make_move_iterator(failure.faults.end()));
}

/// Which word would allow a cast; empty if none would.
std::string remedy_of(const DType& from, const DType& to) {
  if (can_cast(from, to)) {
    return fmt::format("Set {} to allow it if every value survives, or {} to accept the nearest.",
                       named(Option::casting, "checked"), named(Option::casting, "lossy"));
  }
  return "Load the type of the file, and convert afterwards.";
}

Fault refused_cast(const Dataset& dataset, std::size_t shard, const DType& to) {
  const Shard& first = dataset.shards[shard];
  const bool numeric = first.dtype.is_numeric() && to.is_numeric();
  Fault fault;
  fault.code = numeric ? Code::lossy : Code::unsupported;
  fault.kind = numeric ? "cast.lossy" : "cast.unsupported";
  fault.message = numeric ? fmt::format("not every value of {} fits {}", first.dtype.name(), to.name())
                          : fmt::format("{} cannot be converted to {}", first.dtype.name(), to.name());
  fault.remedy = remedy_of(first.dtype, to);
  fault.shard = static_cast<std::int64_t>(shard);
  fault.path = dataset.file_of(first).path;
  fault.item = "dtype";
  fault.wanted = to.name();
  fault.got = first.dtype.name();
  return fault;
}

bool allowed(const DType& from, const DType& to, Casting casting) {
  return casting == Casting::lossless ? can_cast_lossless(from, to) : can_cast(from, to);
}

/// One fault a stored type. Few types, many shards: a shard like the one before it costs one comparison.
Faults check_casts(const Dataset& dataset, const DType& to, Casting casting) {
  Faults faults;
  std::vector<DType> seen;
  for (std::size_t shard = 0; shard < dataset.shards.size(); ++shard) {
    const DType& from = dataset.shards[shard].dtype;
    if (std::find(seen.rbegin(), seen.rend(), from) != seen.rend()) continue;
    seen.push_back(from);
    if (from.native() != to && !allowed(from, to, casting)) faults.push_back(refused_cast(dataset, shard, to));
  }
  return faults;
}

Faults check_size(const Shape& shape, const DType& dtype) {
  if (checked_nbytes(shape, dtype.itemsize)) return {};
  Fault fault;
  fault.code = Code::too_large;
  fault.kind = "result.size";
  fault.message =
      fmt::format("an array of shape {} and type {} has more than 2^63 - 1 bytes", shape_text(shape), dtype.name());
  fault.remedy = "Select a part of it, or a smaller type.";
  return {std::move(fault)};
}

/// The target over the dataset's axes: dropped ones come back with an extent of 1.
Distribution with_dropped_axes(const Distribution& target, const ResolvedSelection& selection) {
  std::vector<AxisRule> rules;
  auto kept = target.rules().begin();
  for (const SelectedAxis& axis : selection.axes) rules.push_back(axis.dropped ? AxisRule{} : *kept++);
  return Distribution::mesh(selection.full_shape(), target.mesh(), std::move(rules));
}

/// How many selected rows lie before a row of the dataset.
std::int64_t selected_before(const SelectedAxis& axis, std::int64_t row) {
  return row <= axis.start ? 0 : std::min(axis.count, ceil_div(row - axis.start, axis.step));
}

/// The selected array cut along the stack axis where these rows of the dataset begin, and at its end.
Distribution cut_at(const ResolvedSelection& selection, const std::vector<std::int64_t>& rows) {
  if (selection.axes.empty()) return Distribution::replicated({}, 1);
  std::vector<std::int64_t> offsets;
  offsets.reserve(rows.size());
  for (const std::int64_t row : rows) offsets.push_back(selected_before(selection.axes.front(), row));
  if (offsets.size() < 2) offsets = {0, selection.axes.front().count};  // a dataset without shards has no rows
  return Distribution::cuts(selection.full_shape(), 0, std::move(offsets));
}

std::vector<std::int64_t> rows_of_chains(const Dataset& dataset, const std::vector<std::int64_t>& starts) {
  std::vector<std::int64_t> rows;
  if (dataset.shards.empty()) return rows;
  rows.reserve(starts.size());
  for (const std::int64_t start : starts) rows.push_back(dataset.row_index[static_cast<std::size_t>(start)]);
  return rows;
}

std::string tiles_name_of(const Distribution& target, const LoadOptions& options) {
  if (target.is_replicated()) return "replicated";
  if (options.has_rows_per_rank || !options.rows_per_rank.empty()) return "explicit";
  return options.tiles == Tiles::ceil ? "ceil" : "balanced";
}

}  // namespace

Result<Problem> make_problem(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks) {
  const DType result = options.dtype ? options.dtype->native() : dataset.dtype.native();
  Faults faults;
  auto selection = resolve_selection(dataset.shape, options.rows, options.select);
  // What a wrong selection leaves is unknown, so the split is judged only with a right one.
  auto target = selection.ok() ? make_tiles(selection->shape(), options.split, options, ranks)
                               : Result<Distribution>(Status(Failure(selection.status().failure())));
  if (!target.ok()) collect(faults, target.status().failure());
  if (selection.ok()) {
    for (Fault& fault : check_size(selection->shape(), result)) faults.push_back(std::move(fault));
  }
  for (Fault& fault : check_casts(dataset, result, options.casting)) faults.push_back(std::move(fault));
  if (!faults.empty()) {
    Failure failure;
    failure.total_faults = static_cast<std::int64_t>(faults.size());
    failure.faults = std::move(faults);
    return failure;
  }
  std::vector<std::int64_t> starts = chain_starts(dataset);
  Distribution chains = cut_at(*selection, rows_of_chains(dataset, starts));
  return Problem{&dataset,
                 *selection,
                 *target,
                 with_dropped_axes(*target, *selection),
                 cut_at(*selection, dataset.row_index),
                 std::move(starts),
                 std::move(chains),
                 result,
                 options.casting,
                 tiles_name_of(*target, options),
                 options.overdecompose,
                 options.budget_bytes.value_or(0),
                 !options.budget_bytes.has_value(),
                 0,
                 options.io.request_bytes,
                 options.io.landing == "staged"};
}

bool needs_conversion(const Problem& problem, std::int64_t shard) {
  return problem.dataset->shards[static_cast<std::size_t>(shard)].dtype != problem.result_dtype;
}

bool must_stage(const Problem& problem, std::int64_t shard) {
  return problem.force_staging || needs_conversion(problem, shard);
}

}  // namespace loadstone::plan
