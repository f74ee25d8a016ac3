// What discover sends between ranks comes back equal.
#include "loader/wire.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loadstone::loader {
namespace {

Fault sample_fault() {
  Fault fault;
  fault.code = Code::truncated;
  fault.kind = "shard.truncated";
  fault.message = std::string("with a \0 in it", 14);
  fault.shard = 7;
  fault.path = "d/a.npy";
  fault.offset = 128;
  fault.system_errno = 5;
  fault.wanted = std::int64_t{240};
  fault.got = std::string("none");
  fault.set_by = "manifest";
  return fault;
}

TEST(Wire, FoundComesBackEqual) {
  Found found;
  found.files = {{"d", "a.npy"}, {"", "/b.npy"}};
  found.file_of_shards = {1, 0, 1};
  found.stated = {{3, 400, 128, StorageOrder::f, "ab", "cd"}, {}};
  found.dtype = DType{Kind::datetime, 8, ByteOrder::big, "25s"};
  found.trailing_shape = Shape{2, 0};
  found.counts = {{4, "sidecar"}};
  found.proof = Proof::counts;
  found.ranges = true;
  Fault shape = sample_fault();
  shape.wanted = Shape{1, 2};
  found.faults = {sample_fault(), shape};
  const std::optional<Found> back = decode_found(encode(found));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->files.size(), 2U);
  EXPECT_EQ(back->files[0].name, "a.npy");
  EXPECT_EQ(back->files[1].root, "");
  EXPECT_EQ(back->file_of_shards, found.file_of_shards);
  EXPECT_EQ(back->stated, found.stated);
  EXPECT_EQ(back->dtype, found.dtype);
  EXPECT_EQ(back->trailing_shape, found.trailing_shape);
  EXPECT_EQ(back->counts, found.counts);
  EXPECT_EQ(back->proof, found.proof);
  EXPECT_TRUE(back->ranges && !back->single);
  EXPECT_EQ(back->faults, found.faults);
}

Scanned sample_scan() {
  Scanned scanned;
  scanned.layouts = {{"npy", {Kind::floating, 4, ByteOrder::little, {}}, {3}, false, StorageOrder::f}};
  Record good;
  good.layout = 0;
  good.rows = 5;
  good.data_offset = 128;
  good.nbytes = 60;
  scanned.files = {{1, 2, 188, -3, 4, 5}};
  Record bad;
  bad.found().faults = {sample_fault()};
  scanned.records.push_back(std::move(good));
  scanned.records.push_back(std::move(bad));
  return scanned;
}

TEST(Wire, ScansComeBackEqual) {
  const Scanned scanned = sample_scan();
  const std::optional<Scanned> back = decode_scanned(encode(scanned));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->layouts, scanned.layouts);
  ASSERT_EQ(back->records.size(), 2U);
  EXPECT_TRUE(back->records[0].sound());
  EXPECT_EQ(back->records[0].rows, 5);
  EXPECT_EQ(back->records[0].nbytes, 60);
  EXPECT_EQ(back->files, scanned.files);
  EXPECT_EQ(back->records[0].findings, nullptr);
  ASSERT_FALSE(back->records[1].sound());
  EXPECT_EQ(back->records[1].findings->faults, scanned.records[1].findings->faults);
}

TEST(Wire, AFileThatIsNotThereIsNoticed) {
  for (const std::int64_t file : {-1, 1}) {
    Found found;
    found.files = {{"d", "a.npy"}};
    found.file_of_shards = {0, file};
    EXPECT_FALSE(decode_found(encode(found))) << file;
  }
}

TEST(Wire, ALayoutThatIsNotThereIsNoticed) {
  Scanned scanned = sample_scan();
  scanned.records[0].layout = 1;
  EXPECT_FALSE(decode_scanned(encode(scanned)));
}

TEST(Scanned, LayoutsOfSeveralScansAreEachThereOnce) {
  Scanned all;
  all.layouts = {{"raw", {Kind::floating, 4, ByteOrder::little, {}}, {3}, false, StorageOrder::c}};
  all.append(sample_scan());
  all.append(sample_scan());
  EXPECT_EQ(all.layouts.size(), 2U);
  EXPECT_EQ(all.files.size(), 2U);
  ASSERT_EQ(all.records.size(), 4U);
  EXPECT_EQ(all.layout_of(all.records[2]).format, "npy");
  EXPECT_EQ(all.records[3].layout, -1);
}

TEST(Wire, ChangesComeBackEqual) {
  const ManifestChanges changes{7, {"a.npy", ""}, {"b.npy"}, {}, {sample_fault()}};
  EXPECT_EQ(decode_changes(encode(changes)), changes);
}

TEST(Wire, CountsOfFilesComeBackEqual) {
  FileStats file;
  file.path = "d/a\n.npy";
  file.bytes_read = 7;
  file.slowest_seconds = 0.25;
  file.fallbacks = {"direct refused on other: EINVAL"};
  const std::vector<FileStats> files = {file, {}};
  EXPECT_EQ(decode_file_stats(encode(files)), files);
  EXPECT_EQ(decode_file_stats(encode(std::vector<FileStats>{})), std::vector<FileStats>{});
}

TEST(Wire, CutBytesAreNoticed) {
  Found found;
  found.files = {{"d", "a.npy"}};
  std::vector<std::byte> bytes = encode(found);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode_found(std::span(bytes).first(n))) << n;
}

}  // namespace
}  // namespace loadstone::loader
