// Directories and globs: which of their files are shards, and in which order (DS1, DS2).
#pragma once

#include "loader/describe.hpp"

namespace loadstone::loader {

/// A directory: its manifest decides, else its data files are grouped by name.
Found from_directory(const std::string& directory, const ExpandContext& context);

/// A glob, with at least one component with magic.
Found from_glob(const std::string& pattern, const ExpandContext& context);

/// Nothing matched: kind paths.empty with the extensions that are there and near misses. Pure.
/// @param searched  the directory in which nothing matched
/// @param wanted    what should have matched there
Fault nothing_matched(const std::string& typed, const std::string& searched, const std::string& wanted,
                      const std::vector<std::string>& there);

}  // namespace loadstone::loader
