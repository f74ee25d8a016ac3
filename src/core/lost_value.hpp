// Which element a cast lost: looked for element by element, once it is known that there is one.
#pragma once

#include "core/transfer.hpp"

#include <cstddef>
#include <span>

namespace loadstone {

/// The first element, in the axes' order, that the cast loses. There is one.
LostValue find_lost_value(const std::byte* source, const DType& source_dtype, const DType& target_dtype,
                          std::span<const CopyAxis> axes, Casting casting);

}  // namespace loadstone
