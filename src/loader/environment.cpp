#include "loader/environment.hpp"

#include "core/text.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace loadstone::loader {
namespace {

constexpr std::array<std::string_view, 17> kKnown = {"LOADSTONE_BUDGET",
                                                     "LOADSTONE_IO_BACKEND",
                                                     "LOADSTONE_IO_DIRECT",
                                                     "LOADSTONE_IO_MAPPED",
                                                     "LOADSTONE_IO_REQUEST",
                                                     "LOADSTONE_IO_DEPTH",
                                                     "LOADSTONE_IO_THREADS",
                                                     "LOADSTONE_IO_HUGE_PAGES",
                                                     "LOADSTONE_IO_PAGE_CACHE",
                                                     "LOADSTONE_IO_LANDING",
                                                     "LOADSTONE_IO_OPEN_FILES",
                                                     "LOADSTONE_IO_FS_CLASS",
                                                     "LOADSTONE_IO_RETRIES",
                                                     "LOADSTONE_DEADLINE",
                                                     "LOADSTONE_ROOTS",
                                                     "LOADSTONE_IDENTITY",
                                                     "LOADSTONE_CPU"};

// Read by the tools and tests around the library, never by the library.
constexpr std::array<std::string_view, 6> kOfOthers = {"LOADSTONE_ACCEPT_", "LOADSTONE_CLI",    "LOADSTONE_PYTHON",
                                                       "LOADSTONE_TEST_",   "LOADSTONE_FAULT_", "LOADSTONE_BUILD_"};

bool is_of_others(std::string_view name) {
  return std::ranges::any_of(
      kOfOthers, [&](std::string_view other) { return other.back() == '_' ? name.starts_with(other) : name == other; });
}

}  // namespace

Environment read_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (text.starts_with("LOADSTONE_") && equals != std::string_view::npos) {
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

std::span<const std::string_view> known_variables() { return kKnown; }

std::vector<Fault> unknown_variables(const Environment& environment) {
  std::vector<Fault> warnings;
  const std::vector<std::string> known(kKnown.begin(), kKnown.end());
  for (const auto& [name, value] : environment) {
    if (std::ranges::find(kKnown, name) != kKnown.end() || is_of_others(name)) continue;
    const std::string near = nearest(name, known);
    Fault warning = make_fault("environment.unknown", fmt::format("the variable {} means nothing", escape(name)),
                               near.empty() ? "Remove it." : fmt::format("Did you mean {}?", near));
    warning.item = escape(name);
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace loadstone::loader
