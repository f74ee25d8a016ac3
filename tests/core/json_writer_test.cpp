#include "core/json_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace loadstone {
namespace {

TEST(JsonWriter, OneLine) {
  JsonWriter json;
  json.begin_object().field("a", 1).field("b", "x\"y\n\xff").key("c").begin_array().value(true).null().end_array();
  json.key("e").begin_object().end_object().end_object();
  EXPECT_EQ(json.take(), "{\"a\":1,\"b\":\"x\\\"y\\u000a\xEF\xBF\xBD\",\"c\":[true,null],\"e\":{}}");
}

TEST(JsonWriter, Indented) {
  JsonWriter json(1);
  const std::vector<std::int64_t> shape = {3, 4};
  json.begin_object().key("shape").value(std::span<const std::int64_t>(shape)).field("x", 0.5).end_object();
  EXPECT_EQ(json.take(), "{\n \"shape\": [3, 4],\n \"x\": 0.5\n}");
}

TEST(JsonWriter, NumbersAreExact) {
  JsonWriter json;
  json.begin_array().value(std::numeric_limits<std::int64_t>::max()).value(0.1).value(1e300 * 1e300).end_array();
  EXPECT_EQ(json.take(), "[9223372036854775807,0.1,null]");
}

TEST(JsonWriter, FaultHasOnlyWhatIsSet) {
  JsonWriter json;
  write_fault(
      json, {.code = Code::truncated, .kind = "shard.truncated", .message = "m", .shard = 3, .wanted = std::int64_t{9}},
      Audience::command);
  EXPECT_EQ(json.take(), R"({"code":"truncated","kind":"shard.truncated","message":"m","shard":3,"wanted":9})");
}

}  // namespace
}  // namespace loadstone
