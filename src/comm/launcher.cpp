#include "comm/modules.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace loadstone::comm {
namespace {

/// A positive number in the environment, else 0.
int number_of(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return 0;
  int value = 0;
  const char* const end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end && value > 0 ? value : 0;
}

const char* size_variable(Launcher launcher) {
  return launcher == Launcher::openmpi ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE";
}

}  // namespace

Launcher launcher_of_environment() {
  for (const Launcher launcher : {Launcher::openmpi, Launcher::mpich})
    if (number_of(size_variable(launcher)) > 0) return launcher;
  return Launcher::none;
}

int launched_ranks() {
  const Launcher launcher = launcher_of_environment();
  return launcher == Launcher::none ? 1 : number_of(size_variable(launcher));
}

std::string_view to_string(Launcher launcher) noexcept {
  switch (launcher) {
    case Launcher::openmpi:
      return "openmpi";
    case Launcher::mpich:
      return "mpich";
    case Launcher::none:
      break;
  }
  return "none";
}

}  // namespace loadstone::comm
