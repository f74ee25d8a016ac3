// The SIGBUS guard: a copy out of a mapping whose file is cut meanwhile ends with `false`, not with the process.
#pragma once

#include "core/kernels.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <span>

namespace loadstone::io {

/// Installs the handler at the first call; it acts only on the range that its own thread is copying from, and hands all
/// else to the handler that was there before. False if the handler is not ours (any more): then do not copy.
bool guard_is_in_place();

/// Copies mapped memory to pieces, one after the other; those at `gap` are passed over. False if a page of it could not
/// be read. Call only while guard_is_in_place().
bool guarded_copy(std::span<const iovec> pieces, const std::byte* gap, std::span<const std::byte> mapped,
                  const CopyKernels& kernels = best_kernels());

}  // namespace loadstone::io
