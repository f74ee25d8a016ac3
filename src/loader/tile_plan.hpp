// What one rank is to read into one tile, and the files for that.
#pragma once

#include "core/status.hpp"
#include "io/engine.hpp"
#include "loader/settings.hpp"
#include "plan/planner.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace loadstone::loader {

// Direct I/O needs no more alignment than this on any file system seen; tiles agree with the file modulo it.
inline constexpr std::int64_t kLandingAlignment = 4096;

/// The planner's problem with what this machine decides filled in: budget, request size, bytes of the index.
Result<plan::Problem> make_problem(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks,
                                   const Settings& settings);

struct TilePlan {
  plan::Problem problem;
  std::vector<plan::Move> moves;  ///< of this rank, as plan::moves_of gives them
  std::int64_t bytes_wanted = 0;  ///< of the files
  std::int64_t tile_bytes = 0;

  /// Where the tile has to start beyond a multiple of kLandingAlignment, so that most of it is read in place.
  [[nodiscard]] std::int64_t landing_skew() const;
};

TilePlan plan_tile(plan::Problem problem, std::int64_t rank);

/// Files of a dataset as the engine knows them.
struct InputFiles {
  std::int64_t first = 0;  ///< of the dataset: number 0 of the engine's
  std::vector<io::InputFile> files;
};

/// The files that moves read from and those between them, each once however many of its shards are read.
InputFiles input_files(const Dataset& dataset, std::span<const plan::Move> moves);

/// The engine knows files and offsets; which shard lies there is known here.
void name_shards(Failure& failure, const Dataset& dataset);

}  // namespace loadstone::loader
