// The sidecar of raw shards, the recipe's _meta.json, and the arguments that stand for one (DS22, DS37 to DS39).
#pragma once

#include "formats/manifest.hpp"
#include "loader/describe.hpp"

#include <optional>
#include <string>

namespace loadstone::loader {

/// Reads the sidecar that is given, or lies in `directory`, and applies it. A broken one is a fault for raw shards and
/// where it was given, else a warning. Returns its path; empty if there is none.
std::string add_sidecar(Found& found, const std::string& directory, bool raw, Counts counts,
                        const ExpandContext& context);

/// The shards of a directory whose sidecar names ranges of files: no name rules then. Empty if there is none such.
std::optional<Found> from_ranges(const std::string& directory, const ExpandContext& context);

/// What a parsed sidecar says of the files that were found. Pure.
/// @param root  directory of the sidecar, in which its ranges lie
void apply_sidecar(formats::Sidecar sidecar, const std::string& root, Counts counts, Found& found);

/// Layout arguments of raw shards; they win over the sidecar (at `sidecar_path`), with a warning where they differ from
/// it. Pure.
void add_arguments(Found& found, const OpenOptions& options, const std::string& sidecar_path);

/// A manifest decides alone (DS24): warns of arguments that say otherwise of its raw shards. Pure.
void compare_with_manifest(Found& found, const OpenOptions& options);

/// What neither a sidecar nor an argument says of raw shards, as the manifest says that is about to be replaced; of new
/// ones, as of its first. Pure.
void describe_as_before(Found& found, const Found& before, const OpenOptions& options);

}  // namespace loadstone::loader
