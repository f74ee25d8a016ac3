// Values of discover as bytes, to travel between ranks of one job (one build, one byte order).
#pragma once

#include "loader/found.hpp"
#include "loader/scan.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace loadstone::loader {

std::vector<std::byte> encode(const Found& found);
std::vector<std::byte> encode(std::span<const Record> records);

/// Empty if the bytes are not what encode made.
std::optional<Found> decode_found(std::span<const std::byte> bytes);
/// Appends the records; false if the bytes are not what encode made.
bool decode_records(std::span<const std::byte> bytes, std::vector<Record>& records);

}  // namespace loadstone::loader
