// What raw bytes are, where arguments meet what lies beside the shards: a sidecar, or a manifest (DS24, DS37). Pure.
#pragma once

#include "loader/found.hpp"

#include <loadstone/options.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace loadstone::loader {

/// Of a sidecar that was applied, what only matters beside arguments.
struct SidecarWords {
  std::string path;                          ///< empty: there is none
  std::optional<ByteOrder> byteorder;        ///< as it states it, by itself or within its dtype
  std::optional<std::int64_t> header_bytes;  ///< as it states it
};

/// Layout arguments of raw shards. They complete the sidecar and win over it, with a warning where they differ; where
/// ranges begin it alone tells.
void add_arguments(Found& found, const OpenOptions& options, const SidecarWords& sidecar);

/// A manifest decides alone (DS24): warns of arguments that say otherwise of its raw shards, and of a sidecar that was
/// given.
void compare_with_manifest(Found& found, const OpenOptions& options);

/// Whether raw shards of a manifest are parts of their files: ranges, or followed by bytes that are none of theirs.
bool has_parts_of_files(const Found& recorded);

/// What neither a sidecar nor an argument says of raw shards, each all of its file, as the manifest says that is about
/// to be replaced; of new ones, as of its first.
void describe_as_before(Found& found, const Found& before, const OpenOptions& options);

}  // namespace loadstone::loader
