#include <loadstone/version.hpp>

namespace loadstone {

const char* version() noexcept { return LOADSTONE_VERSION; }

}  // namespace loadstone
