// What had to be done another way than usual, told once.
#pragma once

#include <loadstone/options.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace loadstone::loader {

/// Hands each reason to `log` that no call of this process has handed out yet. Thread-safe.
/// @param fallbacks  reasons, which name the class of the file system, and how often they were met
void announce(const std::map<std::string, std::int64_t>& fallbacks, const Log& log);

}  // namespace loadstone::loader
