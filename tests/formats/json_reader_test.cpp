#include "formats/json_reader.hpp"

#include "formats/npy_bytes.hpp"

#include <gtest/gtest.h>

namespace loadstone::formats {
namespace {

using namespace std::string_literals;

constexpr JsonLimits kLimits{.max_bytes = 10'000'000, .max_depth = 4};

Result<JsonDocument> parse(std::string_view text) { return parse_json(text, kLimits, "test.syntax"); }

Fault refused(std::string_view text) {
  const auto result = parse(text);
  EXPECT_FALSE(result.ok()) << text;
  const Fault fault = fault_of(result);
  EXPECT_EQ(fault.kind, "test.syntax");
  EXPECT_EQ(fault.code, Code::malformed);
  EXPECT_FALSE(fault.remedy.empty());
  return fault;
}

TEST(JsonReader, KeepsEveryValueInOrder) {
  const auto document = parse(R"( {"a": 1, "b": [true, null, "x", {"c": -2.5e3}], "d": {}, "e": []} )");
  ASSERT_TRUE(document.ok()) << fault_of(document).message;
  const JsonValue root = document->root();
  std::vector<std::string> keys;
  for (const JsonValue value : root.children()) keys.emplace_back(value.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b", "d", "e"}));
  EXPECT_EQ(root.find("a")->integer(), 1);
  std::vector<std::string> shown;
  for (const JsonValue value : root.find("b")->children()) shown.push_back(value.shown());
  EXPECT_EQ(shown, (std::vector<std::string>{"true", "null", "\"x\"", "an object"}));
  EXPECT_EQ((*root.find("d")->children().begin()).key(), "e") << "an empty object has no children";
  EXPECT_TRUE(root.find("d")->children().begin() == root.find("d")->children().end());
  EXPECT_FALSE(root.find("z"));
  EXPECT_FALSE(root.find("a")->find("z"));
}

TEST(JsonReader, DS26IntegersAreExact) {
  const std::pair<const char*, std::optional<std::int64_t>> table[] = {
      {"0", 0},
      {"-1", -1},
      {"9007199254740993", 9007199254740993},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN},
      {"9223372036854775808", {}},
      {"100000000000000000000000000000", {}},
      {"4.0", {}},
      {"4.5", {}},
      {"1e3", {}},
      {"\"4\"", {}},
      {"true", {}},
  };
  for (const auto& [text, value] : table) {
    const auto document = parse("{\"n\": "s + text + " }");
    ASSERT_TRUE(document.ok()) << text;
    EXPECT_EQ(document->root().find("n")->integer(), value) << text;
  }
}

TEST(JsonReader, StringsAreUnescaped) {
  const auto document = parse(R"({"\u006bey": "a\"\\\/\b\f\n\r\t\u20ac\ud83d\ude00"})");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->root().find("key")->text(), "a\"\\/\b\f\n\r\t\u20ac\U0001F600");
}

TEST(JsonReader, DS26TheWholeDocumentIsChecked) {
  for (const std::string& text : {""s,
                                  " "s,
                                  "{"s,
                                  "}"s,
                                  "[]"s,
                                  "1"s,
                                  "\"a\""s,
                                  "null"s,
                                  "{\"a\"}"s,
                                  "{\"a\":}"s,
                                  "{\"a\" 1}"s,
                                  "{\"a\":1,}"s,
                                  "{,}"s,
                                  "{\"a\":1 \"b\":2}"s,
                                  "{a:1}"s,
                                  "{'a':1}"s,
                                  "{\"a\":1}}"s,
                                  "{\"a\":1} x"s,
                                  "{\"a\":1}{}"s,
                                  "{\"a\":1}]"s,
                                  "{\"a\":[1}"s,
                                  "{\"a\":[1,]}"s,
                                  "{\"a\":[1 2]}"s,
                                  "{\"a\":[,1]}"s,
                                  "{\"a\":01}"s,
                                  "{\"a\":+1}"s,
                                  "{\"a\":1.}"s,
                                  "{\"a\":.5}"s,
                                  "{\"a\":1e}"s,
                                  "{\"a\":-}"s,
                                  "{\"a\":0x1}"s,
                                  "{\"a\":NaN}"s,
                                  "{\"a\":Infinity}"s,
                                  "{\"a\":tru}"s,
                                  "{\"a\":truee}"s,
                                  "{\"a\":nul}"s,
                                  "{\"a\":True}"s,
                                  "{\"a\":\"\n\"}"s,
                                  "{\"a\":\"\\q\"}"s,
                                  "{\"a\":\"\\u12\"}"s,
                                  "{\"a\":\"\\ud800\"}"s,
                                  "{\"a\":\"\xff\"}"s,
                                  "{\"a\":\"b}"s,
                                  "{\"a\":1}\0"s,
                                  "\xef\xbb\xbf\xef\xbb\xbf{}"s,
                                  "{\"a\":1}//"s,
                                  "{\"x\":{\"a\":1]}"s}) {
    refused(text);
  }
}

TEST(JsonReader, DS26WhatFollowsADocumentIsNotACutDocument) {
  for (const char* text : {R"({"a":1} x)", R"({"a":"}\"{"} trailing x)", R"({"a":1}{})", R"({"a":1}})"}) {
    EXPECT_NE(refused(text).message.find("something follows"), std::string::npos) << refused(text).message;
  }
  for (const char* text : {R"({"a":1)", R"({"a":{"b":1})", R"({"a":"}x)", "{"}) {
    EXPECT_EQ(refused(text).message.find("something follows"), std::string::npos) << refused(text).message;
  }
}

TEST(JsonReader, DS26AKeyTwiceIsRefusedAtAnyDepth) {
  EXPECT_NE(refused(R"({"a":1,"a":1})").message.find("'a' is there twice"), std::string::npos);
  EXPECT_NE(refused(R"({"a":1,"\u0061":1})").message.find("twice"), std::string::npos);
  refused(R"({"x":[{"b":1,"c":2,"b":3}]})");
  EXPECT_TRUE(parse(R"({"a":{"b":1},"b":{"a":1}})").ok());
}

TEST(JsonReader, DS26DepthIsBounded) {
  EXPECT_TRUE(parse(R"({"a":[[[]]]})").ok());
  EXPECT_NE(refused(R"({"a":[[[[]]]]})").message.find("nested more than 4 deep"), std::string::npos);
  refused(R"({"a":{"a":{"a":{"a":{}}}}})");
  refused("{\"a\":" + std::string(1'000'000, '['));
}

TEST(JsonReader, DS26SizeIsBounded) {
  EXPECT_TRUE(parse_json("{}  ", {.max_bytes = 4, .max_depth = 4}, "k").ok());
  const Fault fault = fault_of(parse_json("{}   ", {.max_bytes = 4, .max_depth = 4}, "k"));
  EXPECT_EQ(number_or_text(fault.wanted), "4");
  EXPECT_EQ(number_or_text(fault.got), "5");
}

TEST(JsonReader, FaultsNameTheByte) {
  const std::string text = R"({"a": 1, "b": 0123})";
  const Fault fault = refused(text);
  ASSERT_TRUE(fault.offset);
  EXPECT_NEAR(static_cast<double>(*fault.offset), static_cast<double>(text.find("0123")), 4);
  EXPECT_NE(fault.message.find("'0123' is no value"), std::string::npos) << fault.message;
}

TEST(JsonReader, ManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 50'000; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  const auto document = parse(text + "\"z\":0}");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->root().find("k49999")->integer(), 49'999);
  refused(text + "\"k25000\":0}");
}

}  // namespace
}  // namespace loadstone::formats
