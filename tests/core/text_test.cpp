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

TEST(Text, E6CharactersThatTurnTheTextAreEscaped) {
  EXPECT_EQ(escape("a\u202Egnp.npy"), "a\\xe2\\x80\\xaegnp.npy");
  for (const char* const control : {"\u061C", "\u200E", "\u200F", "\u2028", "\u202A", "\u202D", "\u2066", "\u2069"}) {
    EXPECT_EQ(escape(control).find(control), std::string::npos) << escape(control);
  }
  for (const char* const plain : {"\u2010", "\u2030", "\u2065", "\u206A", "\u0639", "\u2190"}) {
    EXPECT_EQ(escape(plain), plain);
  }
}

TEST(Text, E6LongPathsAreCutInTheMiddle) {
  const std::string text = escape_path("first/" + std::string(500, 'q') + "/last.npy");
  EXPECT_EQ(text.size(), 203U);
  EXPECT_TRUE(text.starts_with("first/qqq") && text.ends_with("qqq/last.npy")) << text;
  EXPECT_EQ(escape_path(std::string(200, 'q')), std::string(200, 'q'));
  std::string accents;
  for (int i = 0; i < 300; ++i) accents += "é";
  EXPECT_EQ(escape_path(accents).size(), 403U) << "characters are counted, and none is torn";
  EXPECT_EQ(escape_path(escape_path("a\x1b/\xFF")), escape_path("a\x1b/\xFF"));
}

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
