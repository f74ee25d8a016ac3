#include "core/text.hpp"

#include <gtest/gtest.h>

namespace loadstone {
namespace {

using namespace std::string_literals;

TEST(Text, E6ControlBytesAreEscaped) {
  EXPECT_EQ(escape("\x1b[31m\x07"), "\\x1b[31m\\x07");
  EXPECT_EQ(escape("a\0b\n"s), "a\\x00b\\x0a");
  EXPECT_EQ(escape("données"), "données");
  EXPECT_EQ(escape("\xC2\x9B!"), "\\xc2\\x9b!") << "a C1 control is one for a terminal";
  EXPECT_EQ(escape("\xFF\xC3"), "\\xff\\xc3");
  EXPECT_EQ(escape("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "surrogates are no UTF-8";
}

TEST(Text, E6LongTextsAreCut) { EXPECT_EQ(escape(std::string(500, 'q')).size(), 203U); }

TEST(Text, FirstByteThatIsNotUtf8) {
  EXPECT_FALSE(first_invalid_utf8("abc \u0440\u20ac\U0001F600"));
  EXPECT_EQ(first_invalid_utf8("ab\xe9"), 2U);
  EXPECT_EQ(first_invalid_utf8("\u0440\xed\xa0\x80"), 2U) << "a surrogate";
  EXPECT_EQ(first_invalid_utf8("\xc0\x80"), 0U) << "an overlong form";
}

TEST(Text, CountsAndShapes) {
  EXPECT_EQ(counted(1, "shard"), "1 shard");
  EXPECT_EQ(counted(1234, "shard"), "1,234 shards");
  EXPECT_EQ(shape_text(std::vector<std::int64_t>{10}), "(10,)");
  EXPECT_EQ(shape_text(std::vector<std::int64_t>{10, 2}), "(10, 2)");
  EXPECT_EQ(shape_text(std::vector<std::int64_t>{}), "()");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(999), "999");
}

TEST(Text, NearestWord) {
  const std::vector<std::string> words = {"load", "plan", "inspect"};
  EXPECT_EQ(nearest("laod", words), "load");
  EXPECT_EQ(nearest("inspekt", words), "inspect");
  EXPECT_EQ(nearest("zzzzzz", words), "");
}

}  // namespace
}  // namespace loadstone
