// npy shards that something beside them describes: manifests (DS24 to DS27) and the recipe's sidecar (DS22).
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "loader/discover_support.hpp"

namespace loadstone {
namespace {

using test::Folder;
using test::good_npy;
using test::open_everywhere;
using test::Opened;
using test::shard_name;
using namespace std::string_literals;
using Names = std::vector<std::string>;

/// Four shards of (rows, 3) float32 with rows 4, 0, 5, 3.
const std::vector<std::int64_t> kRows = {4, 0, 5, 3};
std::string part(std::int64_t rows) { return good_npy(rows, "3", 12); }

class Described : public testing::Test {
 protected:
  Described() {
    for (std::size_t i = 0; i < kRows.size(); ++i)
      folder_.write(shard_name(static_cast<std::int64_t>(i)), part(kRows[i]));
  }

  struct Entry {
    std::string name;
    std::int64_t rows;
    std::int64_t bytes;
    std::string more = {};  ///< keys and values, each behind a comma
  };
  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      all.push_back(
          {shard_name(static_cast<std::int64_t>(i)), kRows[i], static_cast<std::int64_t>(part(kRows[i]).size()), ""});
    }
    return all;
  }
  void write_manifest(const std::vector<Entry>& shards, const std::string& more = "",
                      const std::string& dtype = "<f4") const {
    std::string list;
    std::int64_t rows = 0;
    for (const Entry& entry : shards) {
      list += (list.empty() ? "" : ", ") + std::string("{\"name\": \"") + entry.name +
              "\", \"rows\": " + std::to_string(entry.rows) + ", \"bytes\": " + std::to_string(entry.bytes) +
              entry.more + ", \"xxh3_128\": \"" + std::string(32, 'a') + "\"}";
      rows += entry.rows;
    }
    folder_.write("loadstone-manifest.json",
                  "{\"loadstone_manifest\": 1, \"generation\": 3, \"format\": \"npy\", \"dtype\": \"" + dtype +
                      "\", \"trailing_shape\": [3], \"stack_axis\": 0, " + more +
                      "\"shards_total\": " + std::to_string(shards.size()) +
                      ", \"rows_total\": " + std::to_string(rows) + ", \"shards\": [" + list + "]}");
  }
  Opened opened(const OpenOptions& options = {}) const { return open_everywhere({folder_.path()}, options); }

  Folder folder_;
};

TEST_F(Described, DS24AManifestProvesTheDataset) {
  write_manifest(entries());
  for (const Opened& result : {opened(), open_everywhere({folder_.file("loadstone-manifest.json")})}) {
    ASSERT_TRUE(result.dataset) << result.text;
    EXPECT_EQ(result.dataset->proof, Proof::manifest);
    EXPECT_TRUE(result.warnings().empty());
    EXPECT_EQ(result.dataset->row_index, (std::vector<std::int64_t>{0, 4, 4, 9, 12}));
    EXPECT_EQ(result.dataset->pattern, "shard_{:04}.npy");
    EXPECT_EQ(result.dataset->manifest_path, folder_.file("loadstone-manifest.json"));
    EXPECT_EQ(result.dataset->manifest_generation, 3);
    EXPECT_EQ(result.dataset->manifest_hashes, Names(4, std::string(32, 'a')));
  }
}

TEST_F(Described, DS24TheManifestDecidesTheOrderAndTheNames) {
  std::filesystem::create_directory(folder_.file("below"));
  std::filesystem::rename(folder_.file(shard_name(3)), folder_.file("below/zz.dat"));
  std::vector<Entry> listed = entries();
  listed[3].name = "below/zz.dat";
  std::swap(listed[0], listed[2]);
  write_manifest(listed);
  const Opened result = opened();
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->row_index, (std::vector<std::int64_t>{0, 5, 5, 9, 12}));
  EXPECT_EQ(result.dataset->file_of(result.dataset->shards[3]).path, folder_.file("below/zz.dat"));
}

TEST_F(Described, DS24AFileItDoesNotNameIsAWarningAndNotLoaded) {
  write_manifest(entries());
  folder_.write(shard_name(4), part(2));
  folder_.write("merged.npy", part(12));
  const Opened result = opened();
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.warnings(), Names{"complete.unlisted"});
  EXPECT_EQ(result.dataset->rows(), 12);
}

TEST_F(Described, DS3TwoNamesOfOneFileInAManifest) {
  std::filesystem::create_hard_link(folder_.file(shard_name(0)), folder_.file("linked.npy"));
  for (const std::string& again : {"./" + shard_name(0), "linked.npy"s}) {
    std::vector<Entry> listed = entries();
    listed[3] = listed[0];
    listed[3].name = again;
    write_manifest(listed);
    const Opened result = opened();
    ASSERT_EQ(result.kinds(), Names{"paths.duplicate"}) << result.text;
    EXPECT_EQ(result.first().shard, 3);
    EXPECT_NE(result.first().message.find(folder_.file(shard_name(0))), std::string::npos) << result.text;
  }
}

TEST_F(Described, DS24ANameThatIsSpeltOtherwiseIsListed) {
  std::vector<Entry> listed = entries();
  listed[1].name = ".//" + shard_name(1);
  write_manifest(listed);
  const Opened result = opened();
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_TRUE(result.warnings().empty());
}

TEST_F(Described, DS39TwoRangesOfAFileInAManifestAreDistinct) {
  folder_.write("both.bin", std::string(96, 'x'));
  const std::string shard = R"({"name": "both.bin", "rows": 4, "bytes": 96, "xxh3_128": ")" + std::string(32, 'a');
  folder_.write("loadstone-manifest.json",
                R"({"loadstone_manifest": 1, "generation": 1, "format": "raw", "dtype": "<f4", "trailing_shape": [3],)"
                R"( "shards_total": 2, "rows_total": 8, "shards": [)" +
                    shard + R"(", "data_offset": 0}, )" + shard + R"(", "data_offset": 48}]})");
  const Opened result = opened();
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->rows(), 8);
}

TEST_F(Described, DS26AStatedOffsetMustBeThatOfTheHeader) {
  std::vector<Entry> listed = entries();
  for (Entry& entry : listed) entry.more = ", \"data_offset\": 128";
  write_manifest(listed);
  EXPECT_TRUE(opened().dataset) << opened().text;
  listed[2].more = ", \"data_offset\": 0";
  write_manifest(listed);
  const Opened result = opened();
  ASSERT_EQ(result.kinds(), Names{"shard.data_offset"}) << result.text;
  EXPECT_EQ(result.first().code, Code::mismatch);
  EXPECT_EQ(result.first().shard, 2);
  EXPECT_EQ(result.first().set_by, "manifest");
  EXPECT_EQ(result.first().wanted, Value(std::int64_t{0}));
  EXPECT_EQ(result.first().got, Value(std::int64_t{128}));
}

TEST_F(Described, DS57WhatIsBeingRecordedIsNotCalledUnproven) {
  VerifyOptions options;
  options.write_manifest = true;
  for (int generation = 1; generation <= 2; ++generation) {
    const VerifyReport report = verify({folder_.path()}, options);
    EXPECT_EQ(report.generation, generation);
    EXPECT_TRUE(report.warnings.empty());
  }
}

TEST_F(Described, DS24NamedButAbsentIsMissingADanglingLinkIsNot) {
  write_manifest(entries());
  folder_.remove(shard_name(2));
  const Opened missing = opened();
  ASSERT_EQ(missing.kinds(), Names{"complete.missing"}) << missing.text;
  EXPECT_EQ(missing.first().shard, 2);
  EXPECT_EQ(missing.first().path, folder_.file(shard_name(2)));
  std::filesystem::create_symlink("nowhere", folder_.file(shard_name(2)));
  EXPECT_EQ(opened().kinds(), Names{"shard.unreadable"});
}

TEST_F(Described, DS24AnotherSizeIsItsOneFault) {
  write_manifest(entries());
  for (const std::string& bytes : {part(5).substr(0, part(5).size() - 1), part(5) + "x", part(4)}) {
    folder_.write(shard_name(2), bytes);
    const Opened result = opened();
    EXPECT_EQ(result.first().kind, "complete.size") << result.text;
    EXPECT_EQ(result.first().shard, 2);
    EXPECT_EQ(result.first().wanted, Value(static_cast<std::int64_t>(part(5).size())));
    EXPECT_EQ(result.first().got, Value(static_cast<std::int64_t>(bytes.size())));
    EXPECT_EQ(result.failure.faults.size(), 1U);
  }
}

TEST_F(Described, DS24AHeaderAgainstTheManifest) {
  write_manifest(entries());
  struct Row {
    std::string bytes;
    std::string kind;
  };
  for (const Row& row : std::vector<Row>{{good_npy(5, "3", 12, "'<i4'"), "shard.dtype"},
                                         {good_npy(3, "5", 20), "shard.trailing_shape"},
                                         {good_npy(5, "3, 1", 12), "shard.ndim"}}) {
    folder_.write(shard_name(2), row.bytes);
    const Opened result = opened();
    ASSERT_EQ(result.kinds(), Names{row.kind}) << result.text;
    EXPECT_EQ(result.first().set_by, "manifest");
    EXPECT_EQ(result.first().shard, 2);
  }
  std::vector<Entry> listed = entries();
  listed[2].rows = 6;
  folder_.write(shard_name(2), part(5));
  write_manifest(listed);
  EXPECT_EQ(opened().kinds(), Names{"shard.rows"});
}

TEST_F(Described, DS24TheManifestIsTheReferenceAgainstTheMajorityAndACast) {
  write_manifest(entries(), "", "<f8");
  OpenOptions options;
  options.cast = parse_dtype("float64");
  EXPECT_EQ(opened(options).kinds(), Names(4, "shard.dtype"));
}

TEST_F(Described, DS25C107NamesThatLeaveTheRoot) {
  folder_.write("x.npy", part(3));
  std::filesystem::rename(folder_.file("x.npy"), folder_.outside("outside.npy"));
  std::filesystem::create_symlink("../outside.npy", folder_.file("link.npy"));
  std::filesystem::create_symlink("..", folder_.file("up"));
  for (const std::string& name :
       {std::string("../outside.npy"), folder_.outside("outside.npy"), std::string("link.npy"),
        std::string("up/outside.npy"), std::string("../absent.npy")}) {
    std::vector<Entry> listed = entries();
    listed[3].name = name;
    write_manifest(listed);
    const Opened result = opened();
    ASSERT_EQ(result.kinds(), Names{"paths.outside_root"}) << name << result.text;
    EXPECT_EQ(result.first().code, Code::outside_root);
  }
}

TEST_F(Described, DS26ABrokenManifestIsTheOnlyFault) {
  folder_.write("loadstone-manifest.json", "{\"loadstone_manifest\": 1,");
  const Opened result = opened();
  EXPECT_EQ(result.kinds(), Names{"manifest.syntax"});
  EXPECT_EQ(result.first().path, folder_.file("loadstone-manifest.json"));
  write_manifest(entries(), "\"colour\": \"blue\", ");
  EXPECT_EQ(opened().warnings(), Names{"manifest.unknown_key"});
}

std::string recipe(const std::string& rows, const std::string& trailing = "[3]", const std::string& dtype = "float32") {
  return "{\"num_shards\": 4, \"per_shard_rows\": " + rows + ", \"trailing_shape\": " + trailing + ", \"dtype\": \"" +
         dtype + "\", \"seed\": 0}";
}

TEST_F(Described, DS22TheRecipesSidecarProvesTheCounts) {
  folder_.write("_meta.json", recipe("[4, 0, 5, 3]"));
  const Opened result = opened();
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->proof, Proof::counts);
  EXPECT_TRUE(result.warnings().empty());
  folder_.remove(shard_name(3));
  const Opened cut = opened();
  ASSERT_EQ(cut.kinds(), Names{"complete.count"}) << cut.text;
  EXPECT_EQ(cut.first().wanted, Value(std::int64_t{4}));
  EXPECT_EQ(cut.first().got, Value(std::int64_t{3}));
}

TEST_F(Described, DS22ContradictionsAreFaultsBrokenJsonIsAWarning) {
  folder_.write("_meta.json", recipe("[4, 0, 4, 4]"));
  EXPECT_EQ(opened().kinds(), (Names{"shard.rows", "shard.rows"}));
  folder_.write("_meta.json", recipe("[4, 0, 5, 3]", "[4]"));
  EXPECT_EQ(opened().kinds(), Names(4, "shard.trailing_shape"));
  folder_.write("_meta.json", recipe("[4, 0, 5, 3]", "[3]", "float64"));
  EXPECT_EQ(opened().kinds(), Names(4, "shard.dtype"));
  folder_.write("_meta.json", "{\"num_shards\": 4,");
  EXPECT_EQ(opened().warnings(), (Names{"complete.unproven", "sidecar.syntax"}));
  folder_.write("_meta.json",
                recipe("{\"shard_0000.npy\": 4, \"shard_0001.npy\": 0, \"shard_0002.npy\": 5, \"gone.npy\": 3}"));
  EXPECT_EQ(opened().kinds(), Names{"complete.missing"});
}

}  // namespace
}  // namespace loadstone
