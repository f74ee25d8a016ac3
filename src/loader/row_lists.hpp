// How many rows each shard of a written dataset gets.
#pragma once

#include "core/status.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace loadstone::loader {

/// "uneven" (at least one row each, a function of the seed), "uniform" (balanced), or a list such as "3,0,40".
/// `bad_argument` naming both numbers where they do not fit.
Result<std::vector<std::int64_t>> rows_of_shards(const std::string& rows, std::int64_t total, std::int64_t shards,
                                                 std::uint64_t seed);

}  // namespace loadstone::loader
