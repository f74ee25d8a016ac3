// Whether a file holds the payload that its description states.
#pragma once

#include "formats/driver.hpp"

#include <loadstone/error.hpp>

#include <cstdint>
#include <optional>

namespace loadstone::formats {

/// shard.truncated if the file ends before the payload does: payload bytes wanted and got, and the whole rows that are
/// there.
std::optional<Fault> truncation(const Description& description, std::int64_t file_bytes);

}  // namespace loadstone::formats
