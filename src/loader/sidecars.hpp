// The sidecar of raw shards, and the recipe's _meta.json (DS22, DS37 to DS39).
#pragma once

#include "formats/manifest.hpp"
#include "loader/describe.hpp"
#include "loader/raw_layout.hpp"

#include <optional>
#include <string>

namespace loadstone::loader {

/// The sidecar that is given, or lies in `directory`; empty if there is none.
std::string sidecar_path(const std::string& directory, const OpenOptions& options);

/// Reads that sidecar and applies it. A broken one is a fault for raw shards and where it was given, else a warning.
SidecarWords add_sidecar(Found& found, const std::string& directory, bool raw, Counts counts,
                         const ExpandContext& context);

/// The shards of a directory whose sidecar names ranges of files: no name rules then. Empty if there is none such.
std::optional<Found> from_ranges(const std::string& directory, const ExpandContext& context);

/// What a parsed sidecar says of the files that were found. Pure.
/// @param root  directory of the sidecar, in which its ranges lie
void apply_sidecar(formats::Sidecar sidecar, const std::string& root, Counts counts, Found& found);

}  // namespace loadstone::loader
