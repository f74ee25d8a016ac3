#include "loader/tile_plan.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <string>
#include <utility>

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/input.hpp"
#include "plan/chains.hpp"

namespace loadstone::loader {
namespace {

constexpr std::int64_t kCacheLine = 64;

/// What the dataset's index takes, charged to the budget: names, identities, row index.
std::int64_t index_bytes(const Dataset& dataset) {
  std::int64_t bytes = 0;
  for (const DataFile& file : dataset.files) {
    bytes += static_cast<std::int64_t>(sizeof(DataFile) + file.path.size() + file.root.size() + file.name.size());
  }
  bytes += static_cast<std::int64_t>(dataset.shards.size() * sizeof(Shard));
  return bytes + static_cast<std::int64_t>(dataset.row_index.size() * sizeof(std::int64_t));
}

Fault no_device(const std::string& device) {
  const bool known = device.starts_with("cuda");
  return {.code = known ? Code::unsupported : Code::bad_argument,
          .kind = "device",
          .message = known ? "tiles in device memory are not built yet" : "\"" + escape(device) + "\" is no device",
          .remedy = "Set " + named(Option::device, "host"),
          .item = "device",
          .got = escape(device)};
}

}  // namespace

Result<plan::Problem> make_problem(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks,
                                   const Settings& settings) {
  if (!options.device.empty() && options.device != "host") return no_device(options.device);
  auto problem = plan::make_problem(dataset, options, ranks);
  if (!problem.ok()) return problem;
  problem->budget_bytes = settings.budget_bytes;
  problem->budget_guessed = settings.budget_guessed;
  problem->metadata_bytes = index_bytes(dataset);
  problem->request_bytes = settings.engine.request_bytes;
  problem->force_staging = settings.engine.landing == "staged";
  return problem;
}

TilePlan plan_tile(plan::Problem problem, std::int64_t rank) {
  TilePlan tile{std::move(problem), {}, 0, 0};
  tile.moves = plan::moves_of(tile.problem, rank);
  for (const plan::Move& move : tile.moves) tile.bytes_wanted += move.wanted_bytes();
  tile.tile_bytes = elements_of(tile.problem.target.box(rank)) * tile.problem.result_dtype.itemsize;
  return tile;
}

std::int64_t TilePlan::landing_skew() const {
  const plan::Move* largest = nullptr;
  for (const plan::Move& move : moves) {
    if (largest == nullptr || move.wanted_bytes() > largest->wanted_bytes()) largest = &move;
  }
  if (largest == nullptr || plan::needs_conversion(problem, largest->shard)) return 0;
  const std::int64_t skew = (largest->file_offset - largest->tile_offset) % kLandingAlignment;
  const std::int64_t positive = skew < 0 ? skew + kLandingAlignment : skew;
  return positive % kCacheLine == 0 ? positive : 0;
}

InputFiles input_files(const Dataset& dataset, std::span<const plan::Move> moves) {
  InputFiles input;
  if (moves.empty()) return input;
  const auto file_of = [&](const plan::Move& move) {
    return dataset.shards[static_cast<std::size_t>(move.shard)].file;
  };
  const auto [first, last] = std::ranges::minmax(moves | std::views::transform(file_of));
  input.first = first;
  for (std::int64_t file = first; file <= last; ++file) {
    input.files.push_back(input_file(dataset.files[static_cast<std::size_t>(file)], -1));
  }
  for (const plan::Move& move : moves) {
    std::int64_t& shard = input.files[static_cast<std::size_t>(file_of(move) - first)].shard;
    const std::int64_t begins_with = plan::shard_at(dataset, move.shard, move.file_offset);
    shard = shard < 0 ? begins_with : std::min(shard, begins_with);
  }
  return input;
}

void name_shards(Failure& failure, const Dataset& dataset) {
  for (Fault& fault : failure.faults) {
    if (!fault.shard || !fault.offset) continue;
    const std::int64_t file = dataset.shards[static_cast<std::size_t>(*fault.shard)].file;
    std::int64_t start = std::numeric_limits<std::int64_t>::max();
    for (std::size_t at = 0; at < dataset.shards.size(); ++at) {
      const Shard& shard = dataset.shards[at];
      const bool ends_behind = shard.file == file && shard.data_offset + shard.nbytes > *fault.offset;
      if (!ends_behind || shard.data_offset >= start) continue;
      start = shard.data_offset;
      fault.shard = static_cast<std::int64_t>(at);
    }
  }
}

}  // namespace loadstone::loader
