// The LOADSTONE_ variables of the environment, as a value.
#pragma once

#include <loadstone/error.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::loader {

/// Full names and values of the variables that start with LOADSTONE_.
using Environment = std::map<std::string, std::string, std::less<>>;

/// Of this process, now.
Environment read_environment();

/// Names that mean something, such as LOADSTONE_IO_BACKEND.
std::span<const std::string_view> known_variables();

/// One warning environment.unknown for each name that means nothing, with the nearest that does. Names of tests and of
/// the tools around the library are left alone. Pure.
std::vector<Fault> unknown_variables(const Environment& environment);

}  // namespace loadstone::loader
