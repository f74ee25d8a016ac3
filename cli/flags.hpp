// The table of flags: name, which commands take it, where its value goes, what help says.
#pragma once

#include "cli/arguments.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loadstone::cli {

/// Where a flag's value goes: a text, a switch, or a list that grows with each use.
using Target = std::variant<Text Arguments::*, bool Arguments::*, std::vector<std::string> Arguments::*>;

/// Which commands take a flag: a set of these.
using CommandSet = std::uint32_t;
inline constexpr CommandSet kInspect = 1U << 0, kPlan = 1U << 1, kLoad = 1U << 2, kVerify = 1U << 3, kWrite = 1U << 4,
                            kClean = 1U << 5, kDemo = 1U << 6, kFormats = 1U << 7, kProbe = 1U << 8;

struct Flag {
  const char* names;  ///< "-q,--quiet"
  Target target;
  const char* value;  ///< placeholder in help; empty for a switch
  const char* group;  ///< heading in help
  CommandSet commands;
  const char* help;
};

std::span<const Flag> flags();
/// The set that holds this command alone; 0 if there is no such command.
CommandSet set_of(std::string_view command) noexcept;
/// Long names ("--budget") that a command takes, for near misses.
std::vector<std::string> long_names(CommandSet command);
/// The commands that take this long name; 0 if none does.
CommandSet takers_of(std::string_view long_name);

}  // namespace loadstone::cli
