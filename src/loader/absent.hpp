// Typed paths that lead to nothing: what is wrong, and how far the path does exist (section 3, first row).
#pragma once

#include <loadstone/error.hpp>

#include <string>

namespace loadstone::loader {

/// A typed path whose stat failed: path.missing, path.not_directory, path.denied; shard.unreadable for a link whose
/// target is gone; container.unsupported where "file:object" names an existing file.
Fault cannot_reach(const std::string& path, int error);

/// A directory that cannot be listed: path.denied and its kind. The remedy is about open files where they ran out.
Fault cannot_list(const std::string& directory, int error);

/// The file part of "in.h5:/g/u" if such a file (or a match, for globs) exists; else empty.
std::string container_of(const std::string& text);
/// "file:object" where the driver of the file is not built.
Fault container_not_built(const std::string& text, const std::string& file);

}  // namespace loadstone::loader
