#include "io/fs_class.hpp"

#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "io/file.hpp"

namespace loadstone::io {
namespace {

TEST(FsClass, TableOfFakedNumbers_IO8) {
  struct Row {
    std::uint64_t f_type;
    FsClass fs_class;
  };
  for (const Row& row : {Row{0xEF53, FsClass::local}, Row{0x58465342, FsClass::local}, Row{0x01021994, FsClass::memory},
                         Row{0x6969, FsClass::network}, Row{0x65735546, FsClass::network},
                         Row{0x794C7630, FsClass::other}, Row{0x12345678, FsClass::other},
                         Row{0xFFFFFFFF9123683E, FsClass::local}}) {  // f_type is signed on some systems
    EXPECT_EQ(class_of_type(row.f_type), row.fs_class) << std::hex << row.f_type;
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
