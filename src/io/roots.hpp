// Confined opening: a name that came from data is opened below its root, and its links may only lead below a root.
#pragma once

#include "core/status.hpp"
#include "io/file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace loadstone::io {

/// A directory that names may be opened below: as written (absolute, normalised) and with its links resolved.
struct Root {
  std::string written;
  std::string real;
  Descriptor directory;  ///< O_PATH
};

/// Opens a directory as a root. A missing one comes back as its errno in `error`, with an invalid descriptor.
Root open_root(const std::string& path, int* error);

/// Whether openat2 is asked first; `walk` goes component by component (kernels without it, tests).
enum class Resolver { kernel, walk };

/// What came of it: a descriptor, or an errno, or a link that leaves every root.
struct ConfinedOpen {
  Descriptor descriptor;
  int error = 0;
  std::string outside_target;  ///< not empty: where the link led
};

/// Opens `name` below `root`, with `allowed` as further roots for links that leave it. Opens nothing elsewhere.
/// @param name  relative, without NUL or ".."; checked by refused_name() before
ConfinedOpen open_confined(const Root& root, const std::vector<Root>& allowed, const std::string& name, int flags,
                           Resolver resolver);

/// Why a name from data cannot be accepted at all; empty if it can.
std::string refused_name(std::string_view name);

}  // namespace loadstone::io
