// NumPy's .npy frame and header: our own parser and writer (DS28 to DS36). Pure; nothing is evaluated.
#pragma once

#include "core/limits.hpp"
#include "core/status.hpp"
#include "formats/driver.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace loadstone::formats {

/// Parses the frame and header at the start of a file.
/// @param bytes       the first bytes of the file: at least the whole header if it is no longer than the limit
/// @param file_bytes  size of the whole file, for the checks of DS29 (header length by subtraction; truncation)
/// Faults: header.version, header.syntax (offset and token), header.length, header.shape, header.key, dtype.*,
/// shard.truncated.
Result<Description> parse_npy_header(std::span<const std::byte> bytes, std::int64_t file_bytes, const Limits& limits);

/// Bytes needed to hold prefix and header, from the first 12 bytes; `malformed` if the length field lies.
Result<std::int64_t> npy_header_end(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                    const Limits& limits);

/// Magic, version 1.0 (2.0 if needed), header as NumPy writes it, padded to a multiple of 64.
std::string write_npy_header(const DType& dtype, std::span<const std::int64_t> shape);

}  // namespace loadstone::formats
