// The fault of a cast that met a value which its type cannot hold: shard, index, value (DS49).
#pragma once

#include "core/status.hpp"
#include "core/transfer.hpp"
#include "plan/planner.hpp"

#include <cstddef>
#include <span>

namespace loadstone::loader {

/// @param packed  the bytes of the staged piece, as its copy_axes() read them
Fault lost_value(const plan::Problem& problem, const plan::Piece& piece, std::span<const std::byte> packed,
                 const LostValue& lost);

}  // namespace loadstone::loader
