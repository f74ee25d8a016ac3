// What a file is, told from its first bytes (DS9).
#pragma once

#include <loadstone/error.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace loadstone::formats {

bool starts_with(std::span<const std::byte> bytes, std::string_view magic);

/// "empty", "text", "zip archive, maybe .npz", "Git LFS pointer", "HDF5", ..., else 16 bytes in hexadecimal.
std::string what_bytes_are(std::span<const std::byte> first_bytes);

/// shard.format: the bytes are something else than `wanted`, and what.
Fault not_this_format(std::span<const std::byte> first_bytes, std::string_view wanted);

}  // namespace loadstone::formats
