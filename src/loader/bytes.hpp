// Bytes as text, without an exception.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace loadstone::loader {

/// "64MiB", "500 KiB", "16777216"; empty if the text is no such number or passes 63 bits.
std::optional<std::int64_t> bytes_of(std::string_view text) noexcept;

}  // namespace loadstone::loader
