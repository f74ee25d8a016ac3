#include "formats/npy_descr.hpp"

#include <gtest/gtest.h>

namespace loadstone::formats {
namespace {

constexpr ByteOrder kLittle = ByteOrder::little;
constexpr ByteOrder kBig = ByteOrder::big;
constexpr ByteOrder kNone = ByteOrder::none;

TEST(NpyDescr, DS31TableOfPlainTypes) {
  const std::pair<const char*, DType> table[] = {
      {"|b1", {Kind::boolean, 1, kNone, ""}},
      {"<b1", {Kind::boolean, 1, kNone, ""}},
      {"|i1", {Kind::signed_integer, 1, kNone, ""}},
      {">i2", {Kind::signed_integer, 2, kBig, ""}},
      {"<i4", {Kind::signed_integer, 4, kLittle, ""}},
      {"<i8", {Kind::signed_integer, 8, kLittle, ""}},
      {"<u1", {Kind::unsigned_integer, 1, kNone, ""}},
      {">u2", {Kind::unsigned_integer, 2, kBig, ""}},
      {"<u4", {Kind::unsigned_integer, 4, kLittle, ""}},
      {">u8", {Kind::unsigned_integer, 8, kBig, ""}},
      {"<f2", {Kind::floating, 2, kLittle, ""}},
      {">f4", {Kind::floating, 4, kBig, ""}},
      {"<f8", {Kind::floating, 8, kLittle, ""}},
      {"<c8", {Kind::complex, 8, kLittle, ""}},
      {">c16", {Kind::complex, 16, kBig, ""}},
  };
  for (const auto& [text, dtype] : table) EXPECT_EQ(parse_descr(text), dtype) << text;
}

TEST(NpyDescr, DS31TypedBytes) {
  EXPECT_EQ(parse_descr("|S16"), (DType{Kind::bytes, 16, kNone, ""}));
  EXPECT_EQ(parse_descr("<S1"), (DType{Kind::bytes, 1, kNone, ""}));
  EXPECT_EQ(parse_descr("|S0"), (DType{Kind::bytes, 0, kNone, ""}));
  EXPECT_EQ(parse_descr("|V8"), (DType{Kind::opaque, 8, kNone, ""}));
  EXPECT_EQ(parse_descr("<U3"), (DType{Kind::text, 12, kLittle, ""}));
  EXPECT_EQ(parse_descr(">U0"), (DType{Kind::text, 0, kNone, ""}));
}

TEST(NpyDescr, DS31TimesWithUnits) {
  for (const char* unit :
       {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25s", "10ms", "2147483647D"}) {
    const std::string bracketed = std::string("8[") + unit + "]";
    EXPECT_EQ(parse_descr("<M" + bracketed), (DType{Kind::datetime, 8, kLittle, unit}));
    EXPECT_EQ(parse_descr(">m" + bracketed), (DType{Kind::timedelta, 8, kBig, unit}));
  }
  EXPECT_EQ(parse_descr("<M8"), (DType{Kind::datetime, 8, kLittle, ""}));
  EXPECT_EQ(parse_descr("<M8[1s]"), (DType{Kind::datetime, 8, kLittle, "s"})) << "as NumPy prints it";
}

TEST(NpyDescr, DS31LongDoublesOnlyOfThisPlatform) {
  const char mine = native_byte_order() == kLittle ? '<' : '>';
  const char other = native_byte_order() == kLittle ? '>' : '<';
  const auto size = static_cast<std::int64_t>(sizeof(long double));
  if (size <= 8) GTEST_SKIP() << "long double is double here";
  const std::string real = "f" + std::to_string(size);
  const std::string complex = "c" + std::to_string(2 * size);
  EXPECT_EQ(parse_descr(mine + real), (DType{Kind::long_double, size, native_byte_order(), ""}));
  EXPECT_EQ(parse_descr(mine + complex), (DType{Kind::long_complex, 2 * size, native_byte_order(), ""}));
  EXPECT_FALSE(parse_descr(other + real));
  EXPECT_FALSE(parse_descr(other + complex));
  EXPECT_FALSE(parse_descr(mine + std::string(size == 16 ? "f12" : "f16")));
}

TEST(NpyDescr, DS31EverythingElseIsNone) {
  for (const char* text : {"",        "<",       "<f",      "f4",           "i4",           "=f4",
                           "!f4",     "|f4",     "|i2",     "|U3",          "|M8[s]",       "<i3",
                           "<f5",     "<f1",     "<b2",     "<u16",         "<c4",          "<c10",
                           "<i04",    "< i4",    "<i4 ",    "<i+4",         "<i-4",         "<i4,<i4",
                           "(2,)<i4", "<S",      "<S-1",    "<S01",         "<M4",          "<M8[]",
                           "<M8[x]",  "<M8[s",   "<M8s]",   "<M8[0s]",      "<M8[01s]",     "<M8[-1s]",
                           "<M8[ s]", "<M8[s]x", "<M8[25]", "<M8[us/3]",    "<M8[generic]", "<M8[2147483648s]",
                           "<M80",    "<O8",     "|O",      "<n4",          "<a4",          "<?",
                           "<e2",     "<d8",     "<T16",    "|S2147483648", "<U536870912",  "|V99999999999999999999",
                           "float32"}) {
    EXPECT_FALSE(parse_descr(text)) << text;
  }
}

TEST(NpyDescr, C011ObjectsInAnySpelling) {
  for (const char* text : {"O", "|O", "<O", ">O", "=O", "O8", "|O8", "<O4"}) EXPECT_TRUE(is_object_descr(text)) << text;
  for (const char* text : {"", "|", "<i4", "Object", "|O8x", "OO", "||O"}) EXPECT_FALSE(is_object_descr(text)) << text;
}

TEST(NpyDescr, EveryTypeReadsBackFromItsOwnText) {
  for (const char* text : {"|b1", "<i8", ">f2", "<c16", "|S7", "<U9", ">M8[25s]", "<m8", "|V3"}) {
    EXPECT_EQ(parse_descr(text).value().str(), text);
  }
}

}  // namespace
}  // namespace loadstone::formats
