#include "formats/driver.hpp"

#include "formats/first_bytes.hpp"
#include "formats/npy_bytes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace loadstone::formats {
namespace {

using namespace std::string_literals;

TEST(DriverTable, FM2KnowsWhatIsBuiltAndWhatIsNot) {
  std::set<std::string_view> built;
  std::set<std::string_view> known;
  for (const DriverEntry& entry : driver_table()) {
    EXPECT_TRUE(known.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.built, entry.driver != nullptr);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_FALSE(entry.extensions.empty());
    for (const std::string_view extension : entry.extensions) EXPECT_EQ(extension.front(), '.');
    if (entry.built) built.insert(entry.name);
    if (entry.built) {
      EXPECT_EQ(entry.driver->name(), entry.name);
    }
  }
  EXPECT_EQ(built, (std::set<std::string_view>{"npy", "raw"}));
  EXPECT_EQ(known, (std::set<std::string_view>{"npy", "raw", "safetensors", "hdf5", "npz", "zarr", "netcdf4", "parquet",
                                               "arrow", "gguf", "pickle"}));
}

TEST(DriverTable, FM2FoundByName) {
  EXPECT_EQ(find_driver("npy").value()->name(), "npy");
  EXPECT_EQ(find_driver("raw").value()->name(), "raw");
}

TEST(DriverTable, FM2KnownButNotBuiltIsUnsupported) {
  for (const char* name : {"safetensors", "hdf5", "npz", "zarr", "netcdf4", "parquet", "arrow", "gguf"}) {
    const Fault fault = fault_of(find_driver(name));
    EXPECT_EQ(fault.code, Code::unsupported) << name;
    EXPECT_NE(fault.message.find(name), std::string::npos);
    EXPECT_NE(fault.remedy.text().find("npy, raw"), std::string::npos);
  }
}

TEST(DriverTable, C013PickleIsRefused) { EXPECT_EQ(fault_of(find_driver("pickle")).code, Code::refused); }

TEST(DriverTable, AnUnknownNameListsTheKnownAndTheNearest) {
  const Fault fault = fault_of(find_driver("npi"));
  EXPECT_EQ(fault.code, Code::bad_argument);
  EXPECT_NE(fault.remedy.text().find("Did you mean npy?"), std::string::npos) << fault.remedy;
  EXPECT_NE(fault.remedy.text().find("safetensors"), std::string::npos);
  EXPECT_EQ(fault_of(find_driver("")).code, Code::bad_argument);
}

TEST(DriverOf, DS9FirstBytesTellNpy) { EXPECT_EQ(driver_of(bytes_of("\x93NUMPY\x01\x00")).value()->name(), "npy"); }

TEST(DriverOf, DS9SaysWhatOtherBytesAre) {
  const std::pair<std::string, const char*> table[] = {
      {""s, "empty"},
      {"1.0,2.0\n"s, "text"},
      {"donn\u00e9es \u20ac"s, "text"},
      {"donn\u00e9es \xe2\x82"s, "text"},
      {"PK\x03\x04"s + std::string(60, '\0'), "zip archive, maybe .npz"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0"s, "Git LFS pointer"},
      {"\x89HDF\r\n\x1a\n"s + std::string(56, '\0'), "HDF5"},
      {"\x80\x04\x95"s, "Python pickle, which could run code"},
      {"\x40\0\0\0\0\0\0\0{\"w\":"s, "safetensors"},
      {"GGUF\x03\0\0\0"s, "GGUF"},
      {"PAR1\x15"s, "Parquet"},
      {"ARROW1\0\0"s, "Arrow IPC"},
      {"CDF\x01\0"s, "netCDF-3"},
      {std::string(64, '\0'), "bytes 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
      {"\x93NUM"s, "bytes 93 4e 55 4d"},
  };
  for (const auto& [bytes, what] : table) {
    const Fault fault = fault_of(driver_of(bytes_of(bytes)));
    EXPECT_EQ(fault.kind, "shard.format") << what;
    EXPECT_EQ(fault.code, Code::malformed);
    EXPECT_EQ(number_or_text(fault.got), what);
    EXPECT_NE(fault.message.find(what), std::string::npos);
    EXPECT_FALSE(fault.remedy.empty());
  }
}

TEST(DriverOf, RawIsNeverGuessed) { EXPECT_FALSE(find_driver("raw").value()->probe(bytes_of("any bytes at all"))); }

}  // namespace
}  // namespace loadstone::formats
