// Discover: from what the user typed to a Dataset. Paths are listed once, headers are scanned over ranks and threads,
// gathered once, and all faults of all shards come in one report, equal on every rank and for every rank count.
#pragma once

#include "comm/agree.hpp"
#include "core/status.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <optional>
#include <vector>

namespace loadstone::loader {

/// Collective over the agreement's communicator. The verdict is inside: every rank gets the dataset, or the same
/// failure (phase "discover").
/// @param cast  the type that the result is asked for: shards of several types are then no fault if each casts
///              (lossless or not is the planner's to judge); for raw shards without a sidecar it states their type
Result<Dataset> discover(const Paths& paths, const OpenOptions& options, const std::optional<DType>& cast,
                         comm::Agreement& agreement);

/// A dataset with what is wrong with it, for those who want what is sound of a faulty one.
struct Survey {
  Dataset dataset;            ///< all shards that could be named; of faulty ones, what is known
  std::vector<Fault> faults;  ///< the report of discover(), empty if there are none
  std::vector<bool> sound;    ///< one a shard: it can be read
};

/// As discover(), but faults are part of the value. A failure only where the shards cannot be listed, or ranks differ.
Result<Survey> survey(const Paths& paths, const OpenOptions& options, const std::optional<DType>& cast,
                      comm::Agreement& agreement);

}  // namespace loadstone::loader
