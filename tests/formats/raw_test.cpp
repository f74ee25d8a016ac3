#include "formats/driver.hpp"
#include "formats/npy_bytes.hpp"

#include <gtest/gtest.h>

namespace loadstone::formats {
namespace {

RawLayout layout(Shape trailing, std::optional<std::int64_t> rows = {}, std::int64_t header_bytes = 0) {
  RawLayout out;
  out.dtype = *parse_dtype("<f4");
  out.trailing_shape = std::move(trailing);
  out.rows = rows;
  out.header_bytes = header_bytes;
  return out;
}

Result<Description> describe(std::int64_t size, RawLayout raw) {
  const MemorySource source(std::string(static_cast<std::size_t>(size), '\0'));
  DescribeContext context;
  context.raw = std::move(raw);
  auto result = find_driver("raw").value()->describe(source, context);
  EXPECT_EQ(source.reads, 0) << "the size is enough";
  EXPECT_EQ(result.ok(), fault_of(result).remedy.empty());
  return result;
}

TEST(Raw, DS38RowsFromTheSize) {
  const auto result = describe(20 + 7 * 16, layout({4}, {}, 20));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->shape, (Shape{7, 4}));
  EXPECT_EQ(result->data_offset, 20);
  EXPECT_EQ(result->nbytes, 112);
  EXPECT_EQ(describe(8, layout({})).value().shape, Shape{2});
  EXPECT_EQ(describe(0, layout({4})).value().shape, (Shape{0, 4}));
}

TEST(Raw, DS37OrderAndTypeArePassedOn) {
  RawLayout raw = layout({4});
  raw.order = StorageOrder::f;
  raw.dtype = *parse_dtype(">i2");
  const auto result = describe(16, raw);
  EXPECT_EQ(result->order, StorageOrder::f);
  EXPECT_EQ(result->dtype.str(), ">i2");
}

TEST(Raw, DS38C056ARemainderHasAllFourNumbers) {
  const Fault fault = fault_of(describe(1007, layout({1}, {}, 4)));
  EXPECT_EQ(fault.kind, "raw.remainder");
  EXPECT_EQ(fault.code, Code::truncated);
  EXPECT_NE(fault.message.find("1,007 bytes less a header of 4 are 250 rows of 4 bytes each, and 3 bytes more"),
            std::string::npos)
      << fault.message;
  EXPECT_EQ(number_or_text(fault.wanted), "1008");
  EXPECT_EQ(number_or_text(fault.got), "1007");
}

TEST(Raw, DS38ATailCanBeAllowed) {
  RawLayout raw = layout({1});
  raw.allow_tail = true;
  const auto result = describe(7, raw);
  EXPECT_EQ(result->shape, (Shape{1, 1}));
  EXPECT_EQ(result->nbytes, 4);
}

TEST(Raw, C055StatedRowsThatAreNotThere) {
  const Fault fault = fault_of(describe(8, layout({}, 100)));
  EXPECT_EQ(fault.kind, "shard.truncated");
  EXPECT_EQ(fault.code, Code::truncated);
  EXPECT_EQ(number_or_text(fault.wanted), "400");
  EXPECT_EQ(number_or_text(fault.got), "8");
  EXPECT_NE(fault.message.find("2 of 100 rows"), std::string::npos) << fault.message;
}

TEST(Raw, DS38MoreBytesThanStatedAreTheCallersToJudge) { EXPECT_EQ(describe(100, layout({4}, 2)).value().nbytes, 32); }

TEST(Raw, DS38AHeaderLongerThanTheFile) {
  const Fault by_size = fault_of(describe(8, layout({1}, {}, 12)));
  EXPECT_EQ(by_size.kind, "shard.truncated");
  EXPECT_EQ(number_or_text(by_size.wanted), "12");
  EXPECT_EQ(number_or_text(by_size.got), "8");
  const Fault stated = fault_of(describe(8, layout({1}, 3, 12)));
  EXPECT_EQ(stated.kind, "shard.truncated");
  EXPECT_EQ(number_or_text(stated.got), "0");
}

TEST(Raw, C058TwoRangesOfOneFile) {
  RawLayout raw = layout({}, 5, 5);
  raw.dtype = *parse_dtype("|u1");
  EXPECT_EQ(describe(10, raw)->data_offset, 5);
  raw.header_bytes = 0;
  EXPECT_EQ(describe(10, raw)->data_offset, 0);
  EXPECT_EQ(describe(10, raw)->nbytes, 5);
}

TEST(Raw, C059AnEmptyRangeIsAnEmptyShard) {
  const auto result = describe(4096, layout({}, 0, 4096));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->shape, Shape{0});
  EXPECT_EQ(result->nbytes, 0);
}

TEST(Raw, DS33RowsWithoutBytesCannotBeCounted) {
  EXPECT_EQ(describe(0, layout({0})).value().shape, (Shape{0, 0}));
  EXPECT_EQ(fault_of(describe(9, layout({0}))).kind, "raw.remainder");
  EXPECT_EQ(describe(9, layout({0}, 5)).value().shape, (Shape{5, 0}));
}

TEST(Raw, T2ShapesThatOverflowAreRefused) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  for (const RawLayout& raw :
       {layout({kHuge}), layout({kHuge}, 1), layout({4}, kHuge), layout({0, kHuge}, 0), layout({}, -1), layout({-1}, 1),
        layout({}, 4, -8), layout({}, kHuge / 4, INT64_MAX - 8)}) {
    const Fault fault = fault_of(describe(16, raw));
    EXPECT_EQ(fault.kind, "header.shape") << shape_text(raw.trailing_shape);
    EXPECT_EQ(fault.code, Code::malformed);
  }
}

TEST(Raw, WithoutALayoutNothingIsGuessed) {
  const Fault fault = fault_of(find_driver("raw").value()->describe(MemorySource("abc"), {}));
  EXPECT_EQ(fault.kind, "raw.layout");
  EXPECT_EQ(fault.code, Code::bad_argument);
  EXPECT_FALSE(fault.remedy.empty());
}

}  // namespace
}  // namespace loadstone::formats
