// What is built and usable here, and what holds where nothing is asked for: `formats`, `backends`, `settings`.
#include "formats/driver.hpp"
#include "io/backend.hpp"
#include "loader/environment.hpp"
#include "loader/settings.hpp"

#include <loadstone/load.hpp>

namespace loadstone {

std::vector<Capability> known_formats() {
  std::vector<Capability> rows;
  for (const formats::DriverEntry& entry : formats::driver_table()) {
    rows.push_back({std::string(entry.name), entry.built, entry.built, std::string(entry.summary)});
  }
  return rows;
}

std::vector<Capability> backends() {
  std::vector<Capability> rows;
  for (const io::BackendEntry& entry : io::backend_table()) {
    const io::Support support = entry.built && entry.probe != nullptr ? entry.probe() : io::Support{};
    const bool usable = entry.built && support.usable;
    const std::string reason = support.reason.empty() ? std::string(entry.summary) : support.reason;
    rows.push_back({std::string(entry.name), entry.built, usable, reason});
  }
  return rows;
}

std::vector<Setting> settings() {
  return value_or_throw(loader::make_settings({}, std::nullopt, 0, std::nullopt, {}, 1)).printed;
}

std::vector<Fault> environment_warnings() { return loader::unknown_variables(loader::read_environment()); }

}  // namespace loadstone
