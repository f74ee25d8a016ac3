#include "io/fs_class.hpp"

#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "io/file.hpp"

namespace loadstone::io {
namespace {

/// Written out a second time: a number that changes in the table has to change here too.
TEST(FsClass, TableOfFakedNumbers_IO8) {
  const std::map<FsClass, std::vector<std::uint64_t>> types = {
      {FsClass::local, {0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E, 0x2011BAB0}},
      {FsClass::memory, {0x01021994, 0x858458F6, 0x958458F6}},
      {FsClass::network,
       {0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x00C36400, 0x0BD00BD0, 0x47504653, 0x19830326, 0x01021997, 0x5346414F,
        0x6B414653, 0x7461636F, 0x01161970, 0x65735546}},
      {FsClass::other, {0x794C7630, 0x12345678, 0}}};
  for (const auto& [fs_class, numbers] : types) {
    for (const std::uint64_t f_type : numbers) {
      EXPECT_EQ(class_of_type(f_type), fs_class) << std::hex << f_type;
      // f_type is signed on some systems.
      EXPECT_EQ(class_of_type(f_type | 0xFFFFFFFF00000000), fs_class) << std::hex << f_type;
    }
  }
}

TEST(FsGate, RelabelsByWholeComponents_IO9) {
  const Result<FsGate> gate = FsGate::parse("/data=local,/data/nfs=network,/=other,rel/dir=memory");
  ASSERT_TRUE(gate.ok());
  EXPECT_EQ(gate->relabelled("/data/a"), FsClass::local);
  EXPECT_EQ(gate->relabelled("/data"), FsClass::local);
  EXPECT_EQ(gate->relabelled("/database/a"), FsClass::other);
  EXPECT_EQ(gate->relabelled("/data/nfs/x"), FsClass::network);
  EXPECT_EQ(gate->relabelled("/data/nfs2/x"), FsClass::local);
  EXPECT_EQ(gate->relabelled("/data/./nfs//x"), FsClass::network);
  EXPECT_EQ(gate->relabelled("rel/dir/x"), FsClass::memory);
  EXPECT_EQ(FsGate::parse("")->relabelled("/data/a"), std::nullopt);
}

TEST(FsGate, RefusesWhatIsNoLabel) {
  for (const char* bad : {"/data", "/data=fast", "=local", "/a=local,,/b"}) {
    const Result<FsGate> gate = FsGate::parse(bad);
    ASSERT_FALSE(gate.ok()) << bad;
    EXPECT_EQ(gate.status().code(), Code::bad_argument);
    EXPECT_EQ(gate.status().failure().first().item, "io.fs_class");
  }
}

TEST(FsGate, TellsFactsOfAnOpenFile) {
  const test::TempDir dir;
  const std::string path = dir.write("f", "x");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const FsFacts plain = FsGate::parse("")->facts_of(file.get(), path);
  EXPECT_NE(plain.device, 0U);
  const FsFacts labelled = FsGate::parse(dir.path().string() + "=network")->facts_of(file.get(), path);
  EXPECT_EQ(labelled.fs_class, FsClass::network);
  EXPECT_EQ(labelled.device, plain.device);
}

TEST(FsDefaults, KeepTheKneeInFlight_IO22) {
  for (const FsClass fs_class : {FsClass::local, FsClass::network, FsClass::other}) {
    const FsDefaults defaults = defaults_of(fs_class);
    EXPECT_GE(defaults.request_bytes * defaults.in_flight_per_node, std::int64_t{8} << 20);
  }
}

}  // namespace
}  // namespace loadstone::io
