// Shards over tiles along the stack axis, drawn to scale.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace loadstone::cli {

/// One line: parts of [cuts.front(), cuts.back()) between bars, each with prefix and number where they fit, such as
/// "├─ r0 ─┼─ r1 ─┤". Empty parts share a bar. `cuts` ascend; width counts characters.
std::string ruler(std::span<const std::int64_t> cuts, std::string_view prefix, int width);

}  // namespace loadstone::cli
