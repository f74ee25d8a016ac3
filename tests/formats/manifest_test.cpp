#include "formats/manifest.hpp"

#include "formats/npy_bytes.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

namespace loadstone::formats {
namespace {

using namespace std::string_literals;

const std::string kHash(32, 'a');

/// Two shards of 4 and 8 rows of 3 floats.
Manifest two_shards() {
  Manifest manifest;
  manifest.format = "npy";
  manifest.dtype = *parse_dtype("<f4");
  manifest.trailing_shape = {3};
  manifest.shards.push_back({.name = "a_0.npy", .rows = 4, .bytes = 176, .xxh3_128 = kHash});
  manifest.shards.push_back({.name = "a_1.npy", .rows = 8, .bytes = 224, .xxh3_128 = kHash});
  return manifest;
}

const std::string kText = write_manifest(two_shards());

Result<Manifest> parse(std::string_view text) { return parse_manifest(text, Limits{}); }

/// The text above with `from` replaced by `to` once.
std::string with(std::string_view from, std::string_view to) {
  std::string text = kText;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

Fault refused(std::string_view text, std::string_view kind = "manifest.syntax") {
  const auto result = parse(text);
  EXPECT_FALSE(result.ok()) << text;
  const Fault fault = fault_of(result);
  EXPECT_EQ(fault.kind, kind) << text << fault.message;
  EXPECT_FALSE(fault.message.empty() || fault.remedy.empty());
  if (kind.starts_with("manifest.")) {
    EXPECT_EQ(fault.code, Code::malformed);
  }
  return fault;
}

void expect_equal(const Manifest& a, const Manifest& b) {
  EXPECT_EQ(a.generation, b.generation);
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.trailing_shape, b.trailing_shape);
  EXPECT_EQ(a.stack_axis, b.stack_axis);
  EXPECT_EQ(a.order, b.order);
  ASSERT_EQ(a.shards.size(), b.shards.size());
  for (std::size_t i = 0; i < a.shards.size(); ++i) {
    EXPECT_EQ(a.shards[i].name, b.shards[i].name);
    EXPECT_EQ(a.shards[i].rows, b.shards[i].rows);
    EXPECT_EQ(a.shards[i].bytes, b.shards[i].bytes);
    EXPECT_EQ(a.shards[i].xxh3_128, b.shards[i].xxh3_128);
    EXPECT_EQ(a.shards[i].data_offset, b.shards[i].data_offset);
    EXPECT_EQ(a.shards[i].crc32c, b.shards[i].crc32c);
    EXPECT_EQ(a.shards[i].order, b.shards[i].order);
  }
}

TEST(Manifest, DS25TheDocumentedForm) {
  const auto result =
      parse(R"({ "loadstone_manifest": 1, "generation": 3, "format": "npy", "dtype": "<f4", "trailing_shape": [256],
    "stack_axis": 0, "shards_total": 1, "rows_total": 1200, "shards": [ {"name": "shard_0000.g3.npy", "rows": 1200,
    "bytes": 1228928, "xxh3_128": "00112233445566778899AABBCCDDEEFF", "data_offset": 128, "crc32c": "deadBEEF"} ] })");
  ASSERT_TRUE(result.ok()) << fault_of(result).message;
  EXPECT_EQ(result->generation, 3);
  EXPECT_EQ(result->format, "npy");
  EXPECT_EQ(result->dtype.str(), "<f4");
  EXPECT_EQ(result->trailing_shape, Shape{256});
  ASSERT_EQ(result->shards.size(), 1U);
  EXPECT_EQ(result->shards[0].name, "shard_0000.g3.npy");
  EXPECT_EQ(result->shards[0].xxh3_128, "00112233445566778899aabbccddeeff");
  EXPECT_EQ(result->shards[0].data_offset, 128);
  EXPECT_EQ(result->shards[0].crc32c, "deadbeef");
  EXPECT_TRUE(result->warnings.empty());
}

TEST(Manifest, DS27SameDatasetSameBytes) {
  EXPECT_EQ(
      kText,
      "{\n \"loadstone_manifest\": 1,\n \"generation\": 1,\n \"format\": \"npy\",\n \"dtype\": \"<f4\",\n"
      " \"trailing_shape\": [3],\n \"stack_axis\": 0,\n \"shards_total\": 2,\n \"rows_total\": 12,\n \"shards\": [\n"
      "  {\"name\":\"a_0.npy\",\"rows\":4,\"bytes\":176,\"xxh3_128\":\"" +
          kHash +
          "\"},\n"
          "  {\"name\":\"a_1.npy\",\"rows\":8,\"bytes\":224,\"xxh3_128\":\"" +
          kHash + "\"}\n ]\n}\n");
}

TEST(Manifest, DS27ReadsBackEqual) {
  SCOPED_TRACE(test::seed_note());
  auto random = test::generator();
  for (int round = 0; round < 300; ++round) {
    Manifest manifest = two_shards();
    manifest.generation = test::pick(random, 1, 9);
    manifest.format = test::pick(random, 0, 1) != 0 ? "npy" : "raw";
    manifest.order = test::pick(random, 0, 1) != 0 ? StorageOrder::c : StorageOrder::f;
    manifest.shards.clear();
    for (std::int64_t i = test::pick(random, 0, 20); i-- > 0;) {
      ManifestShard& shard = manifest.shards.emplace_back();
      shard = {.name = "d\u00e9\"\\ir/s" + std::to_string(i),
               .rows = test::pick(random, 0, 1000),
               .bytes = 1 << 20,
               .xxh3_128 = kHash};
      if (test::pick(random, 0, 1) != 0) shard.data_offset = test::pick(random, 0, 1 << 20);
      if (test::pick(random, 0, 1) != 0) shard.crc32c = "0123abcd";
      shard.order = test::pick(random, 0, 3) != 0 ? manifest.order : StorageOrder::f;
    }
    const std::string text = write_manifest(manifest);
    const auto read = parse(text);
    ASSERT_TRUE(read.ok()) << fault_of(read).message << text;
    expect_equal(*read, manifest);
    EXPECT_EQ(write_manifest(*read), text);
  }
}

TEST(Manifest, DS26RequiredKeys) {
  for (const char* key : {"loadstone_manifest", "generation", "format", "dtype", "trailing_shape", "shards_total",
                          "rows_total", "shards"}) {
    const Fault fault = refused(with("\""s + key + "\":", "\"other\":"));
    EXPECT_EQ(fault.item, key);
  }
  for (const char* key : {"name", "rows", "bytes", "xxh3_128"}) {
    const Fault fault = refused(with("\""s + key + "\":", "\"other\":"));
    EXPECT_EQ(fault.item, "shards[0]."s + key);
    EXPECT_EQ(fault.shard, 0);
  }
  EXPECT_TRUE(parse(with(" \"stack_axis\": 0,\n", "")).ok());
}

TEST(Manifest, DS26ValuesOfTheWrongForm) {
  const std::pair<const char*, const char*> table[] = {
      {"\"generation\": 1", "\"generation\": 0"},
      {"\"generation\": 1", "\"generation\": 1.0"},
      {"\"generation\": 1", "\"generation\": \"1\""},
      {"\"format\": \"npy\"", "\"format\": 1"},
      {"\"format\": \"npy\"", "\"format\": \"\""},
      {"\"<f4\"", "\"float32\""},
      {"\"<f4\"", "\"|O\""},
      {"\"<f4\"", "4"},
      {"[3]", "3"},
      {"[3]", "[-3]"},
      {"[3]", "[3.0]"},
      {"[3]", "[9223372036854775807]"},
      {"[3]", "[true]"},
      {"\"stack_axis\": 0", "\"stack_axis\": -1"},
      {"\"stack_axis\": 0", "\"stack_axis\": 2"},
      {"\"shards\": [", "\"shards\": 4, \"x\": ["},
      {"\"rows\":4", "\"rows\":-4"},
      {"\"rows\":4", "\"rows\":4.5"},
      {"\"rows\":4", "\"rows\":9223372036854775808"},
      {"\"rows\":4", "\"rows\":9223372036854775807"},
      {"\"rows\":4", "\"rows\":null"},
      {"\"bytes\":176", "\"bytes\":\"176\""},
      {"\"name\":\"a_0.npy\"", "\"name\":7"},
      {"aaaa\"", "aaa\""},
      {"aaaa\"", "aaag\""},
      {"\"bytes\":176", "\"bytes\":176,\"data_offset\":177"},
      {"\"bytes\":176", "\"bytes\":176,\"data_offset\":-1"},
      {"\"bytes\":176", "\"bytes\":176,\"crc32c\":\"12\""},
      {"\"bytes\":176", "\"bytes\":176,\"order\":\"Z\""},
      {"{\"name\":\"a_0.npy\"", "7,{\"name\":\"a_0.npy\""},
  };
  for (const auto& [from, to] : table) refused(with(from, to));
}

TEST(Manifest, DS26AnotherStackAxisIsRefusedByName) {
  const Fault fault = refused(with("\"stack_axis\": 0", "\"stack_axis\": 1"));
  EXPECT_EQ(fault.item, "stack_axis");
  EXPECT_EQ(number_or_text(fault.got), "1");
  EXPECT_NE(fault.message.find("axis 0 only"), std::string::npos) << fault.message;
}

TEST(Manifest, DS26AnEntryThatIsNoObjectIsNamed) {
  const Fault fault = refused(with("{\"name\":\"a_0.npy\"", "7,{\"name\":\"a_0.npy\""));
  EXPECT_EQ(fault.message, "entry 0 of 'shards' must be an object, it is 7");
  EXPECT_EQ(refused(with("\"rows\":4", "\"rows\":-4")).message.find("in entry 0 of 'shards', 'rows' must be"), 0U);
}

TEST(Manifest, DS26TotalsUnlikeSums) {
  const Fault rows = refused(with("\"rows_total\": 12", "\"rows_total\": 13"));
  EXPECT_EQ(rows.item, "rows_total");
  EXPECT_EQ(number_or_text(rows.wanted), "13");
  EXPECT_EQ(number_or_text(rows.got), "12");
  EXPECT_EQ(refused(with("\"shards_total\": 2", "\"shards_total\": 3")).item, "shards_total");
}

TEST(Manifest, DS26AHigherVersion) {
  const Fault fault =
      refused(with("\"loadstone_manifest\": 1", "\"loadstone_manifest\": 2, \"new\": {}"), "manifest.version");
  EXPECT_EQ(number_or_text(fault.got), "2");
  refused(with("\"loadstone_manifest\": 1", "\"loadstone_manifest\": 0"));
  refused(with("\"loadstone_manifest\": 1", "\"loadstone_manifest\": \"1\""));
}

TEST(Manifest, DS26UnknownKeysAreOneWarningEach) {
  std::string text = with("\"generation\": 1", "\"generation\": 1, \"colour\": [\"blue\"]");
  for (std::size_t at = 0; (at = text.find("\"rows\":", at)) != std::string::npos; at += 20)
    text.insert(at, "\"hue\":1,");
  const auto result = parse(text);
  ASSERT_TRUE(result.ok()) << fault_of(result).message;
  ASSERT_EQ(result->warnings.size(), 2U);
  EXPECT_EQ(result->warnings[0].kind, "manifest.unknown_key");
  EXPECT_EQ(result->warnings[0].item, "colour");
  EXPECT_EQ(result->warnings[1].item, "hue");
}

TEST(Manifest, DS26BrokenDocuments) {
  for (const std::string& text : {""s, "[]"s, kText.substr(0, kText.size() - 3), kText + "x", "{}"s}) refused(text);
  refused(with("\"generation\": 1", "\"generation\": 1, \"generation\": 1"));
  refused(with("\"generation\": 1", "\"generation\": 1, \"x\": [[[[[[[[[[]]]]]]]]]]"));
}

TEST(Manifest, DS26Limits) {
  Limits limits;
  limits.max_manifest_bytes = std::ssize(kText) - 1;
  EXPECT_EQ(fault_of(parse_manifest(kText, limits)).kind, "manifest.syntax");
  limits.max_manifest_bytes = std::ssize(kText);
  EXPECT_TRUE(parse_manifest(kText, limits).ok());
  limits.max_shards = 1;
  EXPECT_EQ(fault_of(parse_manifest(kText, limits)).item, "shards");
}

TEST(Manifest, C107NamesThatLeaveAreAllListed) {
  std::string text = with("a_0.npy", "../x.npy");
  text.replace(text.find("a_1.npy"), 7, "/etc/passwd");
  const auto result = parse(text);
  ASSERT_FALSE(result.ok());
  const Failure& failure = result.status().failure();
  ASSERT_EQ(failure.faults.size(), 2U);
  EXPECT_EQ(failure.total_faults, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(failure.faults[i].kind, "paths.outside_root");
    EXPECT_EQ(failure.faults[i].code, Code::outside_root);
    EXPECT_EQ(failure.faults[i].shard, static_cast<std::int64_t>(i));
    EXPECT_FALSE(failure.faults[i].remedy.empty());
  }
}

TEST(Manifest, AShardIsListedOnceUnlessItsPayloadsDiffer) {
  refused(with("a_1.npy", "a_0.npy"));
  std::string text = with("\"name\":\"a_0.npy\"", "\"name\":\"a\",\"data_offset\":0");
  text.replace(text.find("\"name\":\"a_1.npy\""), 16, "\"name\":\"a\",\"data_offset\":48");
  EXPECT_TRUE(parse(text).ok());
  text.replace(text.find("\"data_offset\":48"), 16, "\"data_offset\":0");
  refused(text);
}

TEST(Manifest, DS33NoShardsAndNoRows) {
  Manifest manifest = two_shards();
  manifest.shards.clear();
  EXPECT_TRUE(parse(write_manifest(manifest)).ok());
  manifest.shards.push_back({.name = "a", .rows = 0, .bytes = 128, .xxh3_128 = kHash});
  EXPECT_TRUE(parse(write_manifest(manifest)).ok());
}

// ---- names
// ---------------------------------------------------------------------------------------------------------------

TEST(Names, DS25OneRelativePath) {
  for (const std::string& name :
       {"a"s, "a.npy"s, "sub/a.npy"s, "..a"s, "a..b/c.."s, "./a"s, "a b"s, "\u00e9"s, "..."s}) {
    EXPECT_FALSE(why_not_a_name(name, Limits{})) << name;
  }
  for (const std::string& name :
       {""s, "/"s, "/a"s, ".."s, "../a"s, "a/.."s, "a/../b"s, "sub/../../a"s, "a\0b"s, std::string(4097, 'x')}) {
    EXPECT_TRUE(why_not_a_name(name, Limits{})) << name;
  }
  EXPECT_FALSE(why_not_a_name(std::string(4096, 'x'), Limits{}));
}

TEST(Names, DS27GenerationsStandBeforeTheExtension) {
  EXPECT_EQ(generation_name("shard_0001.npy", 1), "shard_0001.npy");
  EXPECT_EQ(generation_name("shard_0001.npy", 3), "shard_0001.g3.npy");
  EXPECT_EQ(generation_name("a.f32.bin", 2), "a.f32.g2.bin");
  EXPECT_EQ(generation_name("shard", 2), "shard.g2");
  EXPECT_EQ(generation_name("v1.0/shard", 2), "v1.0/shard.g2");
  EXPECT_EQ(generation_name("v1.0/.hidden", 2), "v1.0/.hidden.g2");
}

}  // namespace
}  // namespace loadstone::formats
