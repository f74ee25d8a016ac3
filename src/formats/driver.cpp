#include "formats/driver.hpp"

#include "core/text.hpp"
#include "formats/drivers.hpp"
#include "formats/faults.hpp"
#include "formats/first_bytes.hpp"

#include <fmt/format.h>

#include <array>

namespace loadstone::formats {

namespace {

constexpr std::array<std::string_view, 1> kNpy{".npy"};
constexpr std::array<std::string_view, 3> kRaw{".bin", ".raw", ".dat"};
constexpr std::array<std::string_view, 1> kSafetensors{".safetensors"};
constexpr std::array<std::string_view, 3> kHdf5{".h5", ".hdf5", ".he5"};
constexpr std::array<std::string_view, 1> kNpz{".npz"};
constexpr std::array<std::string_view, 1> kZarr{".zarr"};
constexpr std::array<std::string_view, 2> kNetcdf{".nc", ".nc4"};
constexpr std::array<std::string_view, 2> kParquet{".parquet", ".pq"};
constexpr std::array<std::string_view, 2> kArrow{".arrow", ".feather"};
constexpr std::array<std::string_view, 1> kGguf{".gguf"};
constexpr std::array<std::string_view, 2> kPickle{".pkl", ".pickle"};

constexpr std::string_view kLater = "known; not built: this version has no driver for it";
constexpr std::string_view kPickleName = "pickle";

std::string known_names() {
  std::vector<std::string> names;
  for (const DriverEntry& entry : driver_table()) names.emplace_back(entry.name);
  return joined(names);
}

std::string built_names() {
  std::vector<std::string> names;
  for (const DriverEntry& entry : driver_table()) {
    if (entry.built) names.emplace_back(entry.name);
  }
  return joined(names);
}

Fault not_built(const DriverEntry& entry) {
  Fault fault = entry.name == kPickleName
                    ? make_fault(Code::refused, "format.refused", "pickle is never read: it could run code", {})
                    : make_fault(Code::unsupported, "format.not_built",
                                 fmt::format("the format {} is known but not built", entry.name), {});
  fault.remedy = fmt::format("Convert the data to one that is built: {}.", built_names());
  fault.item = "format";
  fault.got = std::string(entry.name);
  return fault;
}

Fault unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const DriverEntry& entry : driver_table()) names.emplace_back(entry.name);
  const std::string near = nearest(name, names);
  Fault fault = make_fault(
      Code::bad_argument, "format.unknown", fmt::format("there is no format '{}'", escape(name)),
      fmt::format("{}Known are {}.", near.empty() ? "" : fmt::format("Did you mean {}? ", near), known_names()));
  fault.item = "format";
  fault.wanted = known_names();
  fault.got = escape(name);
  return fault;
}

}  // namespace

std::span<const DriverEntry> driver_table() {
  static const auto table = std::to_array<DriverEntry>({
      {"npy", true, "NumPy arrays, versions 1.0, 2.0 and 3.0, any plain type", &npy_driver(), kNpy},
      {"raw", true, "plain elements, laid out as a sidecar or flags say", &raw_driver(), kRaw},
      {"safetensors", false, kLater, nullptr, kSafetensors},
      {"hdf5", false, kLater, nullptr, kHdf5},
      {"npz", false, kLater, nullptr, kNpz},
      {"zarr", false, kLater, nullptr, kZarr},
      {"netcdf4", false, kLater, nullptr, kNetcdf},
      {"parquet", false, kLater, nullptr, kParquet},
      {"arrow", false, kLater, nullptr, kArrow},
      {"gguf", false, kLater, nullptr, kGguf},
      {kPickleName, false, "refused: reading it could run code", nullptr, kPickle},
  });
  return table;
}

Result<const Driver*> find_driver(std::string_view name) {
  for (const DriverEntry& entry : driver_table()) {
    if (entry.name != name) continue;
    if (!entry.built) return not_built(entry);
    return entry.driver;
  }
  return unknown(name);
}

Result<const Driver*> driver_of(std::span<const std::byte> first_bytes) {
  for (const DriverEntry& entry : driver_table()) {
    if (entry.built && entry.driver->probe(first_bytes)) return entry.driver;
  }
  return not_this_format(first_bytes, "one of a format that is read here");
}

}  // namespace loadstone::formats
