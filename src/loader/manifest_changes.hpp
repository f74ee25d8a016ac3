// What recording a directory anew changes against the manifest that was there.
#pragma once

#include "formats/manifest.hpp"

#include <loadstone/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadstone::loader {

/// Names are sorted. A value that rank 0 makes and broadcasts.
struct ManifestChanges {
  std::int64_t generation = 0;       ///< of the manifest before; 0 if there was none that could be read
  std::vector<std::string> changed;  ///< both name it, with another size or hash
  std::vector<std::string> added;    ///< the one before does not name it
  std::vector<std::string> dropped;  ///< only the one before names it
  std::vector<Fault> warnings;       ///< why the one before could not be read

  bool operator==(const ManifestChanges&) const = default;
};

/// Pure. Without a manifest before there is nothing to change: all lists are empty.
ManifestChanges changes_between(const std::optional<formats::Manifest>& before, const formats::Manifest& after);

/// What reading the manifest before gave; one that cannot be read is a warning, as it is about to be replaced.
ManifestChanges changes_between(Result<std::optional<formats::Manifest>> before, const formats::Manifest& after);

}  // namespace loadstone::loader
