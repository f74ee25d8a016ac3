// The version of the library.
#pragma once

namespace loadstone {

/// "MAJOR.MINOR.PATCH".
const char* version() noexcept;

}  // namespace loadstone
