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
  EXPECT_EQ(back->stated, found.stated);
  EXPECT_EQ(back->dtype, found.dtype);
  EXPECT_EQ(back->trailing_shape, found.trailing_shape);
  EXPECT_EQ(back->counts, found.counts);
  EXPECT_EQ(back->proof, found.proof);
  EXPECT_TRUE(back->ranges && !back->single);
  EXPECT_EQ(back->faults, found.faults);
}

TEST(Wire, RecordsComeBackEqual) {
  Record record;
  record.format = "npy";
  record.described.dtype = DType{Kind::floating, 4, ByteOrder::little, {}};
  record.described.shape = {5, 3};
  record.described.data_offset = 128;
  record.described.nbytes = 60;
  record.identity = {1, 2, 188, -3, 4, 5};
  record.faults = {sample_fault()};
  std::vector<Record> back;
  ASSERT_TRUE(decode_records(encode(std::vector<Record>{record, {}}), back));
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].format, "npy");
  EXPECT_EQ(back[0].described.dtype, record.described.dtype);
  EXPECT_EQ(back[0].described.shape, record.described.shape);
  EXPECT_EQ(back[0].identity, record.identity);
  EXPECT_EQ(back[0].faults, record.faults);
  EXPECT_TRUE(back[1].sound());
}

TEST(Wire, CutBytesAreNoticed) {
  Found found;
  found.files = {{"d", "a.npy"}};
  std::vector<std::byte> bytes = encode(found);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode_found(std::span(bytes).first(n))) << n;
}

}  // namespace
}  // namespace loadstone::loader
