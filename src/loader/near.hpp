// What a person may have meant where nothing was found: near names, extensions, the nearest directory that exists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadstone::loader {

/// At most `count` of the names, those first that share the longest start and end with the word. Pure.
std::vector<std::string> near_misses(std::string_view word, const std::vector<std::string>& names, std::size_t count);

/// ".npy (64), .json (1)": extensions with counts, most frequent first, at most five. Pure.
std::string extension_counts(const std::vector<std::string>& names);

/// The extension with its dot, in lower case; empty if there is none.
std::string extension_of(std::string_view name);

/// The deepest directory above a path that exists: "." or "/" at the least.
std::string nearest_parent(const std::string& path);

}  // namespace loadstone::loader
