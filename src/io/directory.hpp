// What a directory holds. Memory that is refused meanwhile is std::bad_alloc, as everywhere.
#pragma once

#include "core/status.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace loadstone::io {

struct DirectoryEntry {
  std::string name;
  bool regular = false;  ///< a regular file, not a link to one
  std::int64_t bytes = 0;
};
/// Entries but . and .., sorted by name; links are not followed.
Result<std::vector<DirectoryEntry>> list_directory(const std::string& directory);

/// Names that do not start with a dot, sorted by bytes; no entry is looked at. The errno of a failure, else 0.
int list_names(const std::string& directory, std::vector<std::string>& names);

}  // namespace loadstone::io
