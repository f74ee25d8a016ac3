// A copy that does not pull its destination into the cache.
#pragma once

#include <cstddef>

namespace loadstone::io {

/// Like memcpy; large copies use non-temporal stores where the processor has them.
void stream_copy(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

}  // namespace loadstone::io
