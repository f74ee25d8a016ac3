// Carries out the plan of one load on one rank. Steps are collective and end in a verdict; a failed one throws the
// agreed failure, and destructors give everything back without communicating.
#pragma once

#include "array/tile_memory.hpp"
#include "io/staging.hpp"
#include "loader/session.hpp"
#include "loader/shard_sums.hpp"
#include "plan/planner.hpp"

#include <loadstone/array.hpp>
#include <loadstone/load.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace loadstone::loader {

/// The planner's problem with what this machine decides filled in: budget, request size, bytes of the index.
Result<plan::Problem> make_problem(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks,
                                   const Settings& settings);

class Carrier {
 public:
  Carrier(Session& session, const Dataset& dataset, const LoadOptions& options);
  void plan(int ranks);
  void allocate();
  void read();
  void verify();
  DistributedArray publish(const CommPtr& comm, LoadStats& stats);

 private:
  Status make_plan(int ranks);
  Status take_memory();
  Status read_round(class TileReader& reader, std::int64_t bytes);
  void keep_what_the_kernel_holds();
  std::vector<io::InputFile> input_files();
  void name_shards(Failure& failure) const;
  [[nodiscard]] std::int64_t file_of(const plan::Move& move) const;
  [[nodiscard]] std::int64_t landing_skew() const;
  [[nodiscard]] std::int64_t tile_bytes() const;

  Session* session_;
  const Dataset* dataset_;
  const LoadOptions* options_;
  std::optional<plan::Problem> problem_;
  plan::Budgeting budgeting_;
  std::vector<plan::Move> moves_;
  std::int64_t first_file_ = 0;  // of the dataset, the first of the engine's
  std::int64_t bytes_wanted_ = 0;
  Reservation index_;
  std::unique_ptr<io::StagingPool> pool_;
  std::shared_ptr<TileMemory> memory_;
  io::Engine* engine_ = nullptr;
  ShardSums sums_;
  LoadStats stats_;
};

/// Sums over ranks, peaks and seconds the worst. Collective.
LoadStats total_over_ranks(const LoadStats& stats, const CommPtr& comm);

}  // namespace loadstone::loader
