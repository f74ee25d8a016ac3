// Element types as a .npy header spells them: "<f4", "|S16", "<M8[25s]". A fixed table, no guessing.
#pragma once

#include <loadstone/dtype.hpp>

#include <optional>
#include <string_view>

namespace loadstone::formats {

/// Byte-order character, kind, size, and a unit for times (DS31's table). `<` or `>` where order has meaning; `|` too
/// where it has none. Long doubles only in this machine's size and order. Empty if it is none of these.
std::optional<DType> parse_descr(std::string_view text);

/// Whether it names Python objects: "O", "|O", "<O8".
bool is_object_descr(std::string_view text);

}  // namespace loadstone::formats
