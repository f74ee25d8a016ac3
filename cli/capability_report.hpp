// Tables of what is built and usable here.
#pragma once

#include <loadstone/load.hpp>

#include <span>
#include <string>
#include <string_view>

namespace loadstone::cli {

/// A heading, then one aligned line a row: name, usable or not, why.
std::string capability_text(std::string_view heading, std::span<const Capability> rows);
/// [{"name", "built", "usable", "reason"}, ..]
std::string capability_json(std::span<const Capability> rows);

}  // namespace loadstone::cli
