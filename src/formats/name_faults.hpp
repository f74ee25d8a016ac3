// Names that a file gives for other files, and lead out of its directory.
#pragma once

#include "core/limits.hpp"

#include <loadstone/error.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace loadstone::formats {

/// paths.outside_root with `shard` and the name in `item`, if `name` is not one relative path (DS25).
std::optional<Fault> name_fault(std::string_view name, std::int64_t shard, const Limits& limits);

/// Adds a fault to a failure, which keeps at most 10,000 and counts all.
void add_fault(Failure& failure, Fault fault);

}  // namespace loadstone::formats
