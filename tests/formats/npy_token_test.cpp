#include "formats/npy_token.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadstone::formats {
namespace {

using namespace std::string_literals;

std::vector<std::string> tokens(std::string_view header) {
  std::vector<std::string> out;
  for (Token token = next_token(header, 0); token.kind != TokenKind::end;
       token = next_token(header, token.offset + token.text.size())) {
    out.emplace_back(token.text);
    if (token.kind == TokenKind::stray) break;
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(NpyToken, DS30SplitsIntoPunctuationStringsAndWords) {
  EXPECT_EQ(tokens("{'a': (1,2L)}"), (Texts{"{", "'a'", ":", "(", "1", ",", "2L", ")", "}"}));
  EXPECT_EQ(tokens("  True  "), (Texts{"True"}));
  EXPECT_EQ(tokens(R"("it's" 'a\'b')"), (Texts{R"("it's")", R"('a\'b')"}));
}

TEST(NpyToken, DS30WordsAreWholeSoThatAFaultNamesThem) {
  for (const char* word : {"np.int64", "-5", "1e+5", "2.0", "0x6", "6_0", "__import__", "\xc3\xa9"}) {
    EXPECT_EQ(tokens(word), Texts{word});
  }
}

TEST(NpyToken, DS30OneNewlineAtTheVeryEndIsTheEnd) {
  EXPECT_EQ(tokens("1   \n"), Texts{"1"});
  EXPECT_EQ(tokens("1\n\n"), (Texts{"1", "\n"}));
  EXPECT_EQ(tokens("1\n "), (Texts{"1", "\n"}));
}

TEST(NpyToken, DS30OtherBytesAreStray) {
  for (const std::string& stray : {"\t"s, "\r"s, "\0"s, "#"s, ";"s, "*"s, "="s, "\x0c"s}) {
    const Token token = next_token(stray, 0);
    EXPECT_EQ(token.kind, TokenKind::stray);
    EXPECT_EQ(token.text, stray);
  }
}

TEST(NpyToken, DS30BrokenStringsAreStray) {
  for (const std::string& text : {"'a"s, "'"s, "\"a'"s, R"('a\')"s, "'a\\"s}) {
    EXPECT_EQ(next_token(text, 0).kind, TokenKind::stray) << text;
    EXPECT_EQ(next_token(text, 0).offset, 0U);
  }
  const Token control = next_token("'a\nb'", 0);
  EXPECT_EQ(control.kind, TokenKind::stray);
  EXPECT_EQ(control.offset, 2U) << "the byte that no string holds";
}

TEST(NpyToken, DS30Escapes) {
  EXPECT_EQ(string_value(R"('a\\b\'c\"d')", true), R"(a\b'c"d)");
  EXPECT_EQ(string_value(R"("\n\t\r")", true), "\n\t\r");
  EXPECT_EQ(string_value(R"('\x3c\u003ci4')", true), "<<i4");
  EXPECT_EQ(string_value(R"('\xe9\u0440\u20ac')", false), "\u00e9\u0440\u20ac");
}

TEST(NpyToken, DS30OtherEscapesAreNone) {
  for (const char* text : {R"('\q')", R"('\0')", R"('\74')", R"('\x3')", R"('\xg0')", R"('\u003')", R"('\U0000003c')",
                           R"('\N{DIGIT ONE}')", R"('\x+1')", R"('\x 1')"}) {
    EXPECT_FALSE(string_value(text, true)) << text;
  }
}

TEST(NpyToken, DS28Latin1BecomesUtf8) {
  EXPECT_EQ(string_value("'\xe9'", true), "\u00e9");
  EXPECT_EQ(string_value("'\xc3\xa9'", false), "\u00e9");
}

}  // namespace
}  // namespace loadstone::formats
