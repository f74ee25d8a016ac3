// The frame of a .npy file: magic, version, length field (DS28, DS29). Pure.
#pragma once

#include "core/limits.hpp"
#include "core/status.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace loadstone::formats {

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

struct NpyFrame {
  int version = 1;                ///< major: 1, 2 or 3; the minor one is always 0
  std::int64_t prefix_bytes = 0;  ///< magic, version and length field: where the header text starts
  std::int64_t header_bytes = 0;  ///< of the header text, padding included

  [[nodiscard]] std::int64_t end() const { return prefix_bytes + header_bytes; }
};

/// From the first 12 bytes of the file, or all of them if it is shorter. The length is compared with the file by
/// subtraction, so nothing is allocated or read on its word.
/// Faults: shard.format (no magic), header.cut, header.version, header.length.
Result<NpyFrame> parse_npy_frame(std::span<const std::byte> first_bytes, std::int64_t file_bytes, const Limits& limits);

}  // namespace loadstone::formats
