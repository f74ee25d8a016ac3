// A failure as bytes, so that the winner's can be shown on every rank. Every field survives.
#pragma once

#include <loadstone/error.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace loadstone::comm {

/// The record of a failure. Ranks of one job run on machines of one byte order.
std::vector<std::byte> encode_failure(const Failure& failure);
/// The failure of a record; one of code `internal` if the bytes are none (another version wrote them, say).
Failure decode_failure(std::span<const std::byte> record);

}  // namespace loadstone::comm
