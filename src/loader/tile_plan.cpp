#include "loader/tile_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/text.hpp"
#include "loader/input.hpp"

namespace loadstone::loader {
namespace {

constexpr std::int64_t kCacheLine = 64;

/// What the dataset's index takes, charged to the budget: names, identities, row index.
std::int64_t index_bytes(const Dataset& dataset) {
  std::int64_t bytes = 0;
  for (const Shard& shard : dataset.shards) {
    bytes += static_cast<std::int64_t>(sizeof(Shard) + shard.path.size() + shard.root.size() + shard.name.size());
  }
  return bytes + static_cast<std::int64_t>(dataset.row_index.size() * sizeof(std::int64_t));
}

Fault no_device(const std::string& device) {
  const bool known = device.starts_with("cuda");
  return {.code = known ? Code::unsupported : Code::bad_argument,
          .kind = "device",
          .message = known ? "tiles in device memory are not built yet" : "\"" + escape(device) + "\" is no device",
          .remedy = "Give device host",
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

std::vector<io::InputFile> input_files(const Dataset& dataset, std::span<const plan::Move> moves) {
  std::vector<io::InputFile> files;
  if (moves.empty()) return files;
  const auto [first, last] =
      std::minmax_element(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.shard < b.shard; });
  for (std::int64_t shard = first->shard; shard <= last->shard; ++shard) {
    files.push_back(input_file(dataset.shards[static_cast<std::size_t>(shard)], shard));
  }
  return files;
}

}  // namespace loadstone::loader
