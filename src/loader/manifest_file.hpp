// The manifest of a directory on disk: read it, replace it, take the files of the one before away.
#pragma once

#include "core/status.hpp"
#include "formats/manifest.hpp"
#include "io/file.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loadstone::loader {

/// The manifest in a directory; empty if there is none. Faults name its path.
Result<std::optional<formats::Manifest>> read_manifest(const std::string& directory, const io::Opener& opener);

/// The number after a generation; `bad_argument` where there is none.
Result<std::int64_t> next_generation(std::int64_t generation);

/// Replaces the manifest, durably: temporary, fsync, rename, fsync of the directory. The rename is the commit.
Status replace_manifest(const std::string& directory, const formats::Manifest& manifest);

/// What of a manifest's shards may be removed: regular files below the directory, reached through no link, at the size
/// that it states. The others come back with why they stay.
struct Removable {
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> kept;  ///< name and why
};
Removable removable_shards(const std::string& directory, const formats::Manifest& manifest);

}  // namespace loadstone::loader
