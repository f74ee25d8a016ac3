// How the table reaches its backends.
#pragma once

#include "io/backend.hpp"

#include <memory>

namespace loadstone::io {

Support probe_posix();
std::unique_ptr<Backend> make_posix(int depth);
Support probe_uring();
std::unique_ptr<Backend> make_uring(int depth);

/// Flags of preadv2 for a mode. RWF_DONTCACHE is younger than the headers of some systems.
inline int read_flags(Mode mode) noexcept {
  constexpr int kNoWait = 0x08;
  constexpr int kDontCache = 0x80;
  if (mode == Mode::nowait) return kNoWait;
  return mode == Mode::uncached ? kDontCache : 0;
}

/// Longest sleep of a wait before it looks at its stop token and clock again, in seconds.
inline constexpr double kWaitSlice = 0.01;

}  // namespace loadstone::io
