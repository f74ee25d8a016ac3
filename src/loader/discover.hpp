// Discover: from what the user typed to a Dataset. Paths are listed once, headers are scanned over ranks and threads,
// gathered once, and all faults of all shards come in one report, equal on every rank and for every rank count.
#pragma once

#include "comm/agree.hpp"
#include "core/status.hpp"
#include "loader/assemble.hpp"
#include "loader/listing.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <optional>

namespace loadstone::loader {

/// Collective over the agreement's communicator. The verdict is inside: every rank gets the dataset, or the same
/// failure (phase "discover").
/// @param options  `roots` is used as it stands: those of the environment are the caller's to add
/// @param cast  the type that the result is asked for, else that of the options: shards of several types are then no
///              fault if each casts (lossless or not is the planner's to judge); for raw shards without a sidecar it
///              states their type
Result<Dataset> discover(const Paths& paths, const OpenOptions& options, const std::optional<DType>& cast,
                         comm::Agreement& agreement);

/// The same, but what is wrong with the dataset is a part of the value, so that the sound shards can be gone on with.
/// Fails only where ranks disagree, were stopped, or have lost each other.
/// @param view  what this rank sees of files and host; null: this machine's
Result<Survey> survey(const Paths& paths, const OpenOptions& options, const std::optional<DType>& cast,
                      comm::Agreement& agreement, Manifests manifests = Manifests::follow, const View* view = nullptr);

}  // namespace loadstone::loader
