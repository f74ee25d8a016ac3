// Carries out the plan of one load on one rank. Steps are collective and end in a verdict; a failed one throws the
// agreed failure, and destructors give everything back without communicating.
#pragma once

#include "array/tile_memory.hpp"
#include "io/staging.hpp"
#include "loader/session.hpp"
#include "loader/shard_sums.hpp"
#include "loader/tile_plan.hpp"

#include <loadstone/array.hpp>
#include <loadstone/load.hpp>

#include <memory>
#include <optional>

namespace loadstone::loader {

class Carrier {
 public:
  Carrier(Session& session, const Dataset& dataset, const LoadOptions& options);
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  void plan(int ranks);
  void allocate();
  void read();
  void verify();
  /// With what was counted. The carrier has nothing left afterwards.
  DistributedArray publish(const CommPtr& comm);

 private:
  Status make_plan(int ranks);
  Status take_memory();
  [[nodiscard]] Status fits_tile(const Destination& out) const;
  void keep_what_the_kernel_holds();
  void fill_stats();

  Session* session_;
  const Dataset* dataset_;
  const LoadOptions* options_;
  std::optional<TilePlan> plan_;
  plan::Budgeting budgeting_;
  Reservation index_;
  std::unique_ptr<io::StagingPool> pool_;
  std::shared_ptr<TileMemory> memory_;
  io::Engine* engine_ = nullptr;
  ShardSums sums_;
  LoadStats stats_;
  std::int64_t fresh_before_;  ///< staging memory of the batches before
  double place_seconds_ = 0;
  struct Reading;
  std::unique_ptr<Reading> reading_;  ///< destroyed first: its threads use the rest
};

}  // namespace loadstone::loader
