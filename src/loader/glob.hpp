// Globs, matched by us so that they mean the same everywhere (DS2): `*`, `?`, `[a-z]` in any component; no `**`, and
// hidden names never match.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::loader {

/// Whether a text holds one of `* ? [`.
bool is_glob(std::string_view text) noexcept;

/// Whether a single path component matches. `[!a-z]` negates; a `[` without `]` is itself. A name that starts with a
/// dot matches only a pattern that does. Time is bounded by pattern x name.
bool glob_match(std::string_view pattern, std::string_view name) noexcept;

/// The longest start of a name that any match must have: "shard_" of "shard_*.npy".
std::string_view literal_prefix(std::string_view pattern) noexcept;

/// What a glob found in the file system.
struct GlobMatches {
  std::string root;                ///< the directory before the first component with magic; "." if there is none
  std::vector<std::string> names;  ///< relative to root, sorted by bytes; whatever kind of file they are
  std::string searched;            ///< the deepest directory in which a component matched nothing; empty if all did
  std::string component;           ///< that component
  int denied_errno = 0;            ///< of a directory that could not be listed, whose path is `searched`
};
GlobMatches expand_glob(const std::string& pattern);

/// Names in a directory, hidden ones left out, sorted by bytes. False and errno in `error` if it cannot be listed.
bool list_directory(const std::string& directory, std::vector<std::string>& names, int& error);

/// The path behind its last slash, and the directory before it ("." or "/" at the least).
std::string base_name(std::string_view path);
std::string directory_of(std::string_view path);

/// "dir/name"; the name alone below "." or an empty root.
std::string join_path(std::string_view root, std::string_view name);

}  // namespace loadstone::loader
