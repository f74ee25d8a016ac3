// Files that were listed one by one (DS3, DS16).
#pragma once

#include "loader/describe.hpp"

namespace loadstone::loader {

/// Existing files in the order that was given, or that their names tell. One of them is a single file (DS5).
Found from_list(const std::vector<std::string>& files, const ExpandContext& context);

/// Puts the shards of `more` behind those of `found`.
void append(Found& found, Found more);

/// A file that is there twice, by device and inode, is a fault and kept once. Stats every file. Takes files that are
/// not shared.
void drop_duplicates(Found& found);

}  // namespace loadstone::loader
