// The caches of this processor.
#pragma once

#include <cstdint>

namespace loadstone {

/// Bytes of the data cache of a level (2, 3): of the one that this processor core uses, not of all of them together.
/// 0 if neither processor nor system tells. Asks each time.
std::int64_t cache_bytes(int level);

}  // namespace loadstone
