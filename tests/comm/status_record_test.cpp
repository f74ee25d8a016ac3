#include "comm/status_record.hpp"

#include <gtest/gtest.h>

namespace loadstone::comm {
namespace {

Fault full_fault() {
  Fault fault;
  fault.code = Code::truncated;
  fault.kind = "shard.truncated";
  fault.message = "the header asks for more";
  fault.remedy = "Rewrite it.";
  fault.shard = 3;
  fault.path = std::string("a\0b.npy", 7);
  fault.item = "descr";
  fault.offset = 128;
  fault.bytes = std::int64_t{1} << 40;
  fault.system_errno = 5;
  fault.wanted = std::int64_t{4194304};
  fault.got = std::vector<std::int64_t>{3, -1};
  fault.set_by = "majority";
  return fault;
}

Failure full_failure() {
  Failure failure;
  failure.faults = {full_fault(), Fault{}, full_fault()};
  failure.faults[2].wanted = std::string("text");
  failure.faults[2].got = std::vector<std::int64_t>{};
  failure.total_faults = 12345;
  failure.phase = "read";
  failure.round = 7;
  failure.rank = 2;
  failure.notes = {"later", ""};
  return failure;
}

TEST(StatusRecord, EveryFieldSurvives) {
  const Failure before = full_failure();
  const Failure after = decode_failure(encode_failure(before));
  EXPECT_EQ(after.faults, before.faults);
  EXPECT_EQ(after.total_faults, before.total_faults);
  EXPECT_EQ(after.phase, before.phase);
  EXPECT_EQ(after.round, before.round);
  EXPECT_EQ(after.rank, before.rank);
  EXPECT_EQ(after.notes, before.notes);
  EXPECT_EQ(describe(after), describe(before));
}

TEST(StatusRecord, AnyCutOrChangedByteIsReadOrRefusedButNeverTrusted) {
  const std::vector<std::byte> record = encode_failure(full_failure());
  for (std::size_t length = 0; length < record.size(); ++length)
    EXPECT_EQ(decode_failure(std::span(record).first(length)).first().kind, "comm.record") << length;
  for (std::size_t i = 0; i < record.size(); ++i) {
    std::vector<std::byte> changed = record;
    changed[i] ^= std::byte{0xff};
    EXPECT_FALSE(decode_failure(changed).faults.empty()) << i;
  }
}

}  // namespace
}  // namespace loadstone::comm
