// From what was typed to the files: directories, globs, lists, "@names.txt", "@-", manifests, single files (DS1 to
// DS9). Done once, by rank 0.
#pragma once

#include "loader/describe.hpp"

#include <loadstone/load.hpp>

#include <istream>

namespace loadstone::loader {

/// Everything that is wrong with paths and names is in the result's faults; nothing is thrown for it.
/// @param standard_input  read to its end where "@-" is among the paths
Found expand(const Paths& paths, const ExpandContext& context, std::istream& standard_input);

}  // namespace loadstone::loader
