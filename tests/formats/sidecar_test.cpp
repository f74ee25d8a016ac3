#include "formats/manifest.hpp"
#include "formats/npy_bytes.hpp"

#include <gtest/gtest.h>

namespace loadstone::formats {
namespace {

using namespace std::string_literals;

Result<Sidecar> parse(std::string_view text, bool needs_layout = true) {
  return parse_sidecar(text, needs_layout ? SidecarNeeds{} : SidecarNeeds::nothing(), Limits{});
}

Fault refused(std::string_view text, bool needs_layout = true) {
  const auto result = parse(text, needs_layout);
  EXPECT_FALSE(result.ok()) << text;
  const Fault fault = fault_of(result);
  EXPECT_EQ(fault.kind, "sidecar.syntax") << text;
  EXPECT_EQ(fault.code, Code::malformed);
  EXPECT_FALSE(fault.message.empty() || fault.remedy.empty());
  return fault;
}

/// A raw sidecar with further members.
std::string raw(std::string_view members) {
  return R"({"dtype": "<f4", "trailing_shape": [4])" + std::string(members) + "}";
}

TEST(Sidecar, DS37RowsAsListMapOrNumber) {
  EXPECT_EQ(parse(raw(R"(, "per_shard_rows": [11, 0, 5])"))->rows_list, (std::vector<std::int64_t>{11, 0, 5}));
  EXPECT_EQ(parse(raw(R"(, "rows_per_shard": [])"))->rows_list, std::vector<std::int64_t>{});
  EXPECT_EQ(parse(raw(R"(, "rows_per_shard": 10)"))->rows_each, 10);
  const auto map = parse(raw(R"(, "per_shard_rows": {"b.bin": 2, "a.bin": 0})"));
  EXPECT_EQ(map->rows_by_name, (std::vector<std::pair<std::string, std::int64_t>>{{"b.bin", 2}, {"a.bin", 0}}));
  EXPECT_FALSE(map->rows_list || map->rows_each);
}

TEST(Sidecar, DS37TypesAsInAHeaderOrByNameWithAnOrder) {
  const std::pair<const char*, const char*> table[] = {
      {R"("dtype": "<f4")", "<f4"},
      {R"("dtype": ">i8")", ">i8"},
      {R"("dtype": "|u1")", "|u1"},
      {R"("dtype": "<M8[ns]")", "<M8[ns]"},
      {R"("dtype": "float32", "byteorder": "little")", "<f4"},
      {R"("byteorder": "big", "dtype": "float32")", ">f4"},
      {R"("dtype": "f8", "byteorder": "big")", ">f8"},
      {R"("dtype": "<f4", "byteorder": "little")", "<f4"},
      {R"("dtype": "uint8")", "|u1"},
      {R"("dtype": "bool", "byteorder": "big")", "|b1"},
  };
  for (const auto& [members, dtype] : table) {
    const auto result = parse("{\"trailing_shape\": [], "s + members + "}");
    ASSERT_TRUE(result.ok()) << members << fault_of(result).message;
    EXPECT_EQ(result->dtype->str(), dtype) << members;
  }
}

TEST(Sidecar, DS37TypesThatAreNone) {
  const std::pair<const char*, const char*> table[] = {
      {R"("dtype": 4)", "dtype"},
      {R"("dtype": "<q9")", "dtype"},
      {R"("dtype": "|O")", "dtype"},
      {R"("dtype": "object")", "dtype"},
      {R"("dtype": "=f4")", "dtype"},
      {R"("dtype": "")", "dtype"},
      {R"("dtype": "float32")", "byteorder"},
      {R"("dtype": "float32", "byteorder": "middle")", "byteorder"},
      {R"("dtype": "float32", "byteorder": 1)", "byteorder"},
      {R"("dtype": "<f4", "byteorder": "big")", "byteorder"},
  };
  for (const auto& [members, key] : table)
    EXPECT_EQ(refused("{\"trailing_shape\": [], "s + members + "}").item, key) << members;
}

TEST(Sidecar, DS22TheRecipesOwn) {
  const auto result = parse(
      R"({"num_shards": 2, "per_shard_rows": [3, 4], "trailing_shape": [3], "dtype": "float32", "seed": 0})", false);
  ASSERT_TRUE(result.ok()) << fault_of(result).message;
  EXPECT_EQ(result->num_shards, 2);
  EXPECT_EQ(result->rows_list, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(result->trailing_shape, Shape{3});
  EXPECT_EQ(result->dtype, parse_dtype("float32"));
  EXPECT_TRUE(result->warnings.empty());
}

TEST(Sidecar, DS37OnlyRawShardsNeedALayout) {
  EXPECT_EQ(refused(R"({"trailing_shape": [4]})").item, "dtype");
  EXPECT_EQ(refused(R"({"dtype": "<f4"})").item, "trailing_shape");
  EXPECT_TRUE(parse("{}", false).ok());
}

TEST(Sidecar, DS37HeaderBytesAndOrder) {
  const auto result = parse(raw(R"(, "header_bytes": 20, "order": "F")"));
  EXPECT_EQ(result->header_bytes, 20);
  EXPECT_EQ(result->order, StorageOrder::f);
  EXPECT_EQ(parse(raw(R"(, "order": "C")"))->order, StorageOrder::c);
}

TEST(Sidecar, DS37FaultsNameTheKey) {
  const std::pair<const char*, const char*> table[] = {
      {R"(, "order": "Z")", "order"},
      {R"(, "order": 1)", "order"},
      {R"(, "header_bytes": -1)", "header_bytes"},
      {R"(, "header_bytes": 1.5)", "header_bytes"},
      {R"(, "num_shards": "4")", "num_shards"},
      {R"(, "per_shard_rows": [11, "x"])", "per_shard_rows"},
      {R"(, "per_shard_rows": [-1])", "per_shard_rows"},
      {R"(, "per_shard_rows": {"a": -1})", "per_shard_rows"},
      {R"(, "per_shard_rows": "3")", "per_shard_rows"},
      {R"(, "per_shard_rows": -3)", "per_shard_rows"},
      {R"(, "per_shard_rows": [1], "rows_per_shard": [1])", "rows_per_shard"},
      {R"(, "num_shards": 3, "per_shard_rows": [1, 2])", "num_shards"},
      {R"(, "num_shards": 3, "per_shard_rows": {"a": 1})", "num_shards"},
      {R"(, "shards": {})", "shards"},
      {R"(, "shards": [3])", "shards[0]"},
      {R"(, "shards": [{"path": "a", "offset": 0, "rows": 1}, {"path": "a", "rows": 1}])", "shards[1].offset"},
      {R"(, "shards": [{"path": "a", "offset": -1, "rows": 1}])", "shards[0].offset"},
      {R"(, "shards": [{"path": 1, "offset": 0, "rows": 1}])", "shards[0].path"},
      {R"(, "shards": [], "per_shard_rows": 3)", "shards"},
      {R"(, "num_shards": 1, "shards": [])", "num_shards"},
  };
  for (const auto& [members, key] : table) EXPECT_EQ(refused(raw(members)).item, key) << members;
  for (const char* shape : {"\"4\"", "[-4]", "[4.0]", "4", "[9223372036854775807]", "[null]"}) {
    EXPECT_EQ(refused(R"({"dtype": "<f4", "trailing_shape": )"s + shape + "}").item, "trailing_shape") << shape;
  }
}

TEST(Sidecar, DS37BrokenDocuments) {
  for (const char* text : {"", "{", "[]", "{\"dtype\": \"<f4\"", "{} {}",
                           "{\"dtype\": \"<f4\", \"dtype\": \"<f4\", \"trailing_shape\": []}"}) {
    refused(text);
    refused(text, false);
  }
}

TEST(Sidecar, DS37UnknownKeysAreAWarning) {
  const auto result = parse(raw(R"(, "colour": "blue", "shards": [{"path": "a", "offset": 0, "rows": 1, "hue": {}}])"));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->warnings.size(), 2U);
  EXPECT_EQ(result->warnings[0].kind, "sidecar.unknown_key");
  EXPECT_EQ(result->warnings[0].item, "colour");
}

TEST(Sidecar, DS39RangesKeepTheirOrder) {
  const auto result = parse(
      raw(R"(, "shards": [{"path": "ten.bin", "offset": 5, "rows": 5}, {"path": "ten.bin", "offset": 0, "rows": 0}, )"
          R"({"path": "a.bin", "offset": 1, "rows": 2}, {"path": "ten.bin", "offset": 2, "rows": 3}])"));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->has_ranges);
  ASSERT_EQ(result->ranges.size(), 4U);
  EXPECT_EQ(result->range_paths, (std::vector<std::string>{"ten.bin", "a.bin"}));
  EXPECT_EQ(result->ranges[0].path, 0);
  EXPECT_EQ(result->ranges[2].path, 1);
  EXPECT_EQ(result->ranges[3].path, 0);
  EXPECT_EQ(result->ranges[0].offset, 5);
  EXPECT_EQ(result->ranges[1].rows, 0);
}

TEST(Sidecar, DS25RangesMayNotLeave) {
  const auto result =
      parse(raw(R"(, "shards": [{"path": "a", "offset": 0, "rows": 1}, {"path": "../b", "offset": 0, "rows": 1}, )"
                R"({"path": "../b", "offset": 1, "rows": 1}])"));
  const Fault fault = fault_of(result);
  EXPECT_EQ(result.status().failure().total_faults, 2) << "one a shard";
  EXPECT_EQ(fault.kind, "paths.outside_root");
  EXPECT_EQ(fault.code, Code::outside_root);
  EXPECT_EQ(fault.shard, 1);
}

TEST(Sidecar, H1Limits) {
  Limits limits;
  limits.max_shards = 2;
  EXPECT_TRUE(parse_sidecar(raw(R"(, "per_shard_rows": [1, 2])"), {}, limits).ok());
  EXPECT_EQ(fault_of(parse_sidecar(raw(R"(, "per_shard_rows": [1, 2, 3])"), {}, limits)).item, "per_shard_rows");
  limits.max_sidecar_bytes = 10;
  EXPECT_EQ(fault_of(parse_sidecar(raw(""), {}, limits)).kind, "sidecar.syntax");
}

}  // namespace
}  // namespace loadstone::formats
