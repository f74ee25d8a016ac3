// From options to a distribution: DS43 to DS47.
#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "layout/axis.hpp"
#include "layout/checks.hpp"
#include "plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace loadstone::plan {
namespace {

using layout::Faults;

Result<Distribution> failed(Faults faults) {
  Failure failure;
  failure.total_faults = static_cast<std::int64_t>(faults.size());
  failure.faults = std::move(faults);
  return failure;
}

bool has_lengths(const LoadOptions& options) { return options.has_rows_per_rank || !options.rows_per_rank.empty(); }

Fault lengths_without_axis() {
  return layout::bad_layout("tiles.map", "lengths a rank were given, but no axis is split",
                            "Give a split axis, or leave " + named(Option::rows_per_rank) + " out.");
}

Fault lengths_beside_rule() {
  return layout::bad_layout("tiles.map", "lengths a rank were given beside a rule for them",
                            fmt::format("Leave {} or {} out.", named(Option::rows_per_rank), named(Option::tiles)));
}

Faults check(const Shape& shape, std::optional<std::int64_t> split, const LoadOptions& options, std::int64_t ranks) {
  Faults faults = layout::check_ranks(ranks);
  const auto ndim = static_cast<std::int64_t>(shape.size());
  Faults of_axis = split ? layout::check_axis(*split, ndim) : Faults{};
  const bool cut = split && ndim > 0 && of_axis.empty();
  if (has_lengths(options) && cut) {
    const std::int64_t extent = shape[static_cast<std::size_t>(*split < 0 ? *split + ndim : *split)];
    layout::add(faults, layout::check_counts(options.rows_per_rank, extent, ranks));
  } else if (has_lengths(options) && of_axis.empty()) {
    faults.push_back(lengths_without_axis());
  }
  if (has_lengths(options) && options.tiles != Tiles::balanced) faults.push_back(lengths_beside_rule());
  layout::add(faults, std::move(of_axis));
  if (options.overdecompose < 1) {
    Fault fault = layout::bad_layout(
        "overdecompose", fmt::format("a tile is to be read in {} parts", options.overdecompose), "Give at least 1.");
    fault.wanted = std::int64_t{1};
    fault.got = options.overdecompose;
    faults.push_back(std::move(fault));
  }
  return faults;
}

/// DS44, DS47: tiles of ceil(n / (K P)) rows, of which each rank owns a balanced run. The last tile may be short.
std::vector<std::int64_t> ceil_offsets(std::int64_t extent, std::int64_t ranks, std::int64_t fold) {
  const auto wanted = checked_multiply(ranks, fold).value_or(std::numeric_limits<std::int64_t>::max());
  const std::int64_t tile = std::max<std::int64_t>(1, ceil_div(extent, wanted));
  const std::int64_t tiles = ceil_div(extent, tile);
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(static_cast<std::size_t>(ranks) + 1);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t end = layout::even_part(tiles, ranks, rank).end;
    offsets.push_back(end == tiles ? extent : end * tile);
  }
  return offsets;
}

}  // namespace

Result<Distribution> make_tiles(const Shape& shape, std::optional<std::int64_t> split, const LoadOptions& options,
                                std::int64_t ranks) {
  Faults faults = check(shape, split, options, ranks);
  if (!faults.empty()) return failed(std::move(faults));
  if (!split || shape.empty()) return Distribution::replicated(shape, ranks);
  if (has_lengths(options)) return Distribution::counts(shape, *split, options.rows_per_rank);
  if (options.tiles == Tiles::balanced) return Distribution::even(shape, *split, ranks);
  const std::int64_t axis = *split < 0 ? *split + static_cast<std::int64_t>(shape.size()) : *split;
  return Distribution::cuts(shape, axis,
                            ceil_offsets(shape[static_cast<std::size_t>(axis)], ranks, options.overdecompose));
}

}  // namespace loadstone::plan
