#include "loader/extensions.hpp"

#include "formats/driver.hpp"
#include "formats/manifest.hpp"
#include "loader/describe.hpp"
#include "loader/near.hpp"

#include <algorithm>

namespace loadstone::loader {
namespace {

bool has_extension(const formats::DriverEntry& entry, std::string_view extension) {
  if (extension.empty()) return false;
  return std::ranges::any_of(
      entry.extensions, [&](std::string_view known) { return known == extension || known == extension.substr(1); });
}

template <class Wanted>
bool any_driver(std::string_view name, const Wanted& wanted) {
  const std::string extension = extension_of(name);
  return std::ranges::any_of(formats::driver_table(), [&](const formats::DriverEntry& entry) {
    return wanted(entry) && has_extension(entry, extension);
  });
}

}  // namespace

bool is_data(std::string_view name, std::string_view format) {
  return any_driver(name, [&](const auto& entry) { return format.empty() || entry.name == format; });
}

bool is_raw_data(std::string_view name) { return is_data(name, "raw"); }

bool is_other_data(std::string_view name) {
  return any_driver(name, [](const auto& entry) { return entry.name != "raw"; });
}

bool is_description(std::string_view base_name) {
  return base_name == formats::kManifestName || std::ranges::find(kSidecarNames, base_name) != kSidecarNames.end();
}

}  // namespace loadstone::loader
