// How the table reaches its backends.
#pragma once

#include "io/backend.hpp"

#include <memory>

namespace loadstone::io {

Support probe_posix();
std::unique_ptr<Backend> make_posix(int depth);
Support probe_uring();
std::unique_ptr<Backend> make_uring(int depth);

/// Longest sleep of a wait before it looks at its stop token and clock again, in seconds.
inline constexpr double kWaitSlice = 0.01;

}  // namespace loadstone::io
