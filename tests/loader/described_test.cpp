// Shards that something beside them describes: manifests (DS24 to DS27), sidecars and raw shards (DS22, DS37 to DS39).
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
using test::npy_frame;
using test::npy_literal;
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

/// Raw shards x_0.bin .. of float32 rows of 4.
class Raw : public testing::Test {
 protected:
  Raw() {
    for (std::size_t i = 0; i < kRows.size(); ++i)
      folder_.write(name(i), std::string(static_cast<std::size_t>(kRows[i]) * 16, 'x'));
  }
  static std::string name(std::size_t i) { return "x_" + std::to_string(i) + ".bin"; }
  Opened with(const std::string& sidecar, const OpenOptions& options = {}) const {
    folder_.write("shard_meta.json", sidecar);
    return open_everywhere({folder_.path()}, options);
  }
  Folder folder_;
};

TEST_F(Raw, DS37SidecarsInEverySpelling) {
  for (const char* keys : {"\"dtype\": \"<f4\", \"trailing_shape\": [4], \"per_shard_rows\": [4, 0, 5, 3]",
                           "\"dtype\": \"<f4\", \"trailing_shape\": [4], \"rows_per_shard\": [4, 0, 5, 3]",
                           "\"dtype\": \"<f4\", \"trailing_shape\": [4]",
                           "\"dtype\": \"float32\", \"byteorder\": \"little\", \"trailing_shape\": [4]",
                           "\"dtype\": \"<f4\", \"trailing_shape\": [4], \"per_shard_rows\": {\"x_0.bin\": 4, "
                           "\"x_1.bin\": 0, \"x_2.bin\": 5, \"x_3.bin\": 3}"}) {
    const Opened result = with("{" + std::string(keys) + "}");
    ASSERT_TRUE(result.dataset) << keys << result.text;
    EXPECT_EQ(result.dataset->format, "raw");
    EXPECT_EQ(result.dataset->shape, (Shape{12, 4}));
    EXPECT_EQ(result.dataset->row_index, (std::vector<std::int64_t>{0, 4, 4, 9, 12}));
  }
}

TEST_F(Raw, DS37ASingleTypedFileIsDescribedToo) {
  folder_.write("shard_meta.json", "{\"dtype\": \"<f4\", \"trailing_shape\": [4], \"per_shard_rows\": [4, 0, 5, 3]}");
  const Opened result = open_everywhere({folder_.file(name(2))});
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->shape, (Shape{5, 4}));
}

TEST_F(Raw, DS37ArgumentsInsteadOfASidecar) {
  OpenOptions options;
  options.trailing_shape = Shape{4};
  options.raw_dtype = "float32";
  options.byteorder = "big";
  const Opened result = open_everywhere({folder_.path()}, options);
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->shards[0].dtype.str(), ">f4");
  options.raw_dtype.clear();
  options.cast = parse_dtype("<f4");
  options.byteorder.clear();
  EXPECT_TRUE(open_everywhere({folder_.path()}, options).dataset);
  options.raw_dtype = "q9";
  options.byteorder = "middle";
  EXPECT_EQ(open_everywhere({folder_.path()}, options).kinds(), (Names{"argument", "argument"}));
}

TEST_F(Raw, DS37AnArgumentThatSaysOtherwiseThanTheSidecarCountsAndIsTold) {
  const std::string sidecar = "{\"dtype\": \"<f4\", \"trailing_shape\": [4]}";
  OpenOptions options;
  options.trailing_shape = Shape{4};
  options.byteorder = "little";
  options.raw_dtype = "<f4";
  options.header_bytes = 0;
  const Opened same = with(sidecar, options);
  ASSERT_TRUE(same.dataset) << same.text;
  const auto overridden = [](const Opened& opened) {
    Names items;
    for (const Fault& warning : opened.dataset->warnings) {
      if (warning.kind == "sidecar.overridden") items.push_back(warning.message);
    }
    return items;
  };
  EXPECT_EQ(overridden(same), Names{});
  options.trailing_shape = Shape{2};
  options.byteorder = "big";
  const std::string further = "{\"dtype\": \"<f4\", \"trailing_shape\": [4], \"header_bytes\": 16}";
  const Opened other = with(further, options);
  ASSERT_TRUE(other.dataset) << other.text;
  EXPECT_EQ(other.dataset->shards[0].dtype.str(), ">f4");
  EXPECT_EQ(other.dataset->shape, (Shape{24, 2}));
  EXPECT_EQ(overridden(other), (Names{"the sidecar says header bytes 16, the argument 0: the argument counts",
                                      "the sidecar says trailing shape (4,), the argument (2,): the argument counts",
                                      "the sidecar says type <f4, the argument big: the argument counts"}));
  options.strict = true;
  EXPECT_FALSE(with(further, options).dataset);
}

TEST_F(Raw, DS37WhatASidecarLeavesOpenAnArgumentCloses) {
  OpenOptions options;
  options.cast = parse_dtype("<f4");
  const Opened by_type = with("{\"trailing_shape\": [4]}", options);
  ASSERT_TRUE(by_type.dataset) << by_type.text;
  EXPECT_EQ(by_type.dataset->shape, (Shape{12, 4}));
  options.cast.reset();
  options.trailing_shape = Shape{2};
  const Opened by_shape = with("{\"dtype\": \"<f4\"}", options);
  ASSERT_TRUE(by_shape.dataset) << by_shape.text;
  EXPECT_EQ(by_shape.dataset->shape, (Shape{24, 2}));
  options.byteorder = "big";
  const Opened by_order = with("{\"dtype\": \"float32\"}", options);
  ASSERT_TRUE(by_order.dataset) << by_order.text;
  EXPECT_EQ(by_order.dataset->shards[0].dtype.str(), ">f4");
  options.byteorder.clear();
  EXPECT_EQ(with("{\"dtype\": \"float32\"}", options).kinds(), Names{"sidecar.syntax"}) << "of which order?";
}

TEST_F(Raw, DS39AHeaderOfAllFilesDoesNotMoveRanges) {
  OpenOptions options;
  options.header_bytes = 16;
  const Opened result = with(
      "{\"dtype\": \"|u1\", \"trailing_shape\": [], \"shards\": [{\"path\": \"x_0.bin\", \"offset\": 5, \"rows\": 5}]}",
      options);
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->shards[0].data_offset, 5);
  ASSERT_EQ(result.warnings(), Names{"sidecar.overridden"});
  EXPECT_EQ(result.dataset->warnings[0].message,
            "the sidecar says header bytes 5, the argument 16: the sidecar counts");
  EXPECT_EQ(result.dataset->warnings[0].path, folder_.file("shard_meta.json"));
}

TEST_F(Raw, DS24AManifestCountsAgainstArgumentsAndThatIsTold) {
  VerifyOptions record;
  record.write_manifest = true;
  record.open.raw_dtype = "<f4";
  record.open.trailing_shape = Shape{4};
  verify({folder_.path()}, record);
  OpenOptions options = record.open;
  EXPECT_EQ(open_everywhere({folder_.path()}, options).warnings(), Names{});
  options.raw_dtype = ">i2";
  options.trailing_shape = Shape{8};
  options.header_bytes = 4;
  const Opened result = open_everywhere({folder_.path()}, options);
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->shape, (Shape{12, 4}));
  EXPECT_EQ(result.warnings(), Names(3, "argument.overridden"));
  EXPECT_EQ(result.dataset->warnings[0].path, folder_.file("loadstone-manifest.json"));
  options.strict = true;
  EXPECT_FALSE(open_everywhere({folder_.path()}, options).dataset);
}

/// A directory of raw shards whose manifest is all that describes them.
class Recorded : public Raw {
 protected:
  Recorded() {
    record_.write_manifest = true;
    record_.open.raw_dtype = ">f4";
    record_.open.trailing_shape = Shape{2};
    record_.open.header_bytes = 16;
    folder_.write(name(1), std::string(16, 'x'));  // a header, no rows
    verify({folder_.path()}, record_);
    record_.open = {};
  }
  Dataset found() const { return *open_everywhere({folder_.path()}).dataset; }
  VerifyOptions record_;
};

TEST_F(Recorded, DS57ChangedAndNewShardsAreRecordedAnewAsTheManifestDescribesThem) {
  folder_.write(name(2), std::string(16 + 8 * 5, 'y'));
  folder_.write(name(4), std::string(16 + 8 * 7, 'z'));
  const VerifyReport report = verify({folder_.path()}, record_);
  EXPECT_EQ(report.changed, Names{name(2)});
  EXPECT_EQ(report.added, Names{name(4)});
  for (const Fault& warning : report.warnings) EXPECT_EQ(warning.kind, "complete.unproven") << warning.message;
  EXPECT_EQ(found().shape, (Shape{6 + 0 + 5 + 4 + 7, 2}));
  EXPECT_EQ(found().shards[3].dtype.str(), ">f4");
  EXPECT_EQ(found().shards[3].data_offset, 16);
}

TEST_F(Recorded, DS57WhatAnArgumentLeavesOpenStaysAsItIsRecorded) {
  record_.open.trailing_shape = Shape{4};
  const VerifyReport report = verify({folder_.path()}, record_);
  EXPECT_EQ(report.warnings.back().kind, "manifest.redescribed");
  EXPECT_EQ(found().shape, (Shape{3 + 0 + 4 + 2, 4}));
  EXPECT_EQ(found().shards[0].dtype.str(), ">f4");
  EXPECT_EQ(found().shards[0].data_offset, 16);
}

TEST_F(Recorded, DS57AnotherDescriptionOfTheSameBytesIsTold) {
  record_.open.raw_dtype = "<i2";
  record_.open.header_bytes = 0;
  const VerifyReport report = verify({folder_.path()}, record_);
  EXPECT_TRUE(report.changed.empty());
  Names said;
  for (const Fault& warning : report.warnings) {
    if (warning.kind == "manifest.redescribed") said.push_back(warning.message);
  }
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0],
            "the manifest that is replaced describes the shards as raw >f4, rows of shape (2,), the new one as "
            "raw <i2, rows of shape (2,)");
  EXPECT_EQ(found().shards[0].data_offset, 0);
}

TEST_F(Raw, WithoutADescriptionTheyAreRefusedOnceWithTheRemedy) {
  const Opened result = open_everywhere({folder_.path()});
  ASSERT_EQ(result.kinds(), Names{"raw.layout"}) << result.text;
  for (const char* word : {"dtype", "trailing_shape", "shard_meta.json"}) {
    EXPECT_NE(result.first().remedy.text().find(word), std::string::npos) << result.text;
  }
}

TEST_F(Raw, DS38ACutShardARemainderAndATail) {
  const std::string stated = "{\"dtype\": \"<f4\", \"trailing_shape\": [4], \"per_shard_rows\": [4, 0, 5, 3]}";
  folder_.write(name(3), std::string(47, 'x'));
  const Opened cut = with(stated);
  ASSERT_EQ(cut.kinds(), Names{"shard.truncated"}) << cut.text;
  EXPECT_EQ(cut.first().wanted, Value(std::int64_t{48}));
  EXPECT_EQ(cut.first().got, Value(std::int64_t{47}));
  EXPECT_EQ(cut.first().shard, 3);
  const std::string by_size = "{\"dtype\": \"<f4\", \"trailing_shape\": [4]}";
  EXPECT_EQ(with(by_size).kinds(), Names{"raw.remainder"});
  OpenOptions options;
  options.allow_tail = true;
  const Opened allowed = with(by_size, options);
  ASSERT_TRUE(allowed.dataset) << allowed.text;
  EXPECT_EQ(allowed.dataset->rows(), 11);
  folder_.write(name(3), std::string(52, 'x'));
  EXPECT_EQ(with(stated).warnings(), Names{"shard.trailing"});
}

TEST_F(Raw, DS39RangesOfAFileStayDistinct) {
  folder_.write("ten.bin", "0123456789");  // beside x_0.bin and its kind, which the sidecar does not name
  const Opened result = with(
      "{\"dtype\": \"|u1\", \"trailing_shape\": [], \"shards\": [{\"path\": \"ten.bin\", \"offset\": 5, \"rows\": 5}, "
      "{\"path\": \"ten.bin\", \"offset\": 0, \"rows\": 5}, {\"path\": \"ten.bin\", \"offset\": 10, \"rows\": 0}]}");
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->row_index, (std::vector<std::int64_t>{0, 5, 10, 10}));
  EXPECT_EQ(result.dataset->shards[0].data_offset, 5);
  EXPECT_TRUE(result.warnings().empty());
}

TEST_F(Raw, DS25RangesMayNotLeaveTheDirectory) {
  for (std::size_t i = 0; i < kRows.size(); ++i) folder_.remove(name(i));
  EXPECT_EQ(with("{\"dtype\": \"|u1\", \"trailing_shape\": [], \"shards\": [{\"path\": \"../x\", \"offset\": 0, "
                 "\"rows\": 8}]}")
                .kinds(),
            Names{"paths.outside_root"});
}

TEST_F(Raw, DS37ABrokenSidecarIsAFault) {
  for (const char* text :
       {"{", "[]", "", "{\"trailing_shape\": [4]}", "{\"dtype\": \"<f4\", \"trailing_shape\": [-4]}"}) {
    const Opened result = with(text);
    ASSERT_EQ(result.kinds(), Names{"sidecar.syntax"}) << text << result.text;
    EXPECT_EQ(result.first().code, Code::malformed);
  }
}

TEST_F(Raw, AFormatThatThereIsNotIsOneWrongArgumentWhateverThePathsAre) {
  folder_.write(test::shard_name(0), good_npy());
  for (const std::string& path : {folder_.path(), folder_.file("*.npy"), folder_.file("gone")}) {
    const Opened result = open_everywhere({path}, {.format = "nyp"});
    ASSERT_EQ(result.kinds(), Names{"format.unknown"}) << path << result.text;
    EXPECT_EQ(result.first().code, Code::bad_argument);
    EXPECT_NE(result.text.find("Did you mean npy? Known are npy, raw"), std::string::npos) << result.text;
    EXPECT_EQ(open_everywhere({path}, {.format = "hdf5"}).first().code, Code::unsupported);
  }
}

TEST_F(Raw, DS9FormatForcesADriver) {
  OpenOptions options;
  options.format = "raw";
  options.raw_dtype = "<f4";
  options.trailing_shape = Shape{1};
  folder_.write("y.npy", npy_frame(npy_literal("'<f4'", "(4, 2)"), 32));
  const Opened result = open_everywhere({folder_.file("y.npy")}, options);
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->shape, (Shape{40, 1}));
  EXPECT_EQ(open_everywhere({folder_.file("y.npy")}, {.format = "hdf5"}).first().code, Code::unsupported);
  EXPECT_EQ(open_everywhere({folder_.file("y.npy")}, {.format = "nmpy"}).first().code, Code::bad_argument);
  EXPECT_EQ(open_everywhere({folder_.file(name(0))}, {.format = "npy"}).kinds(), Names{"shard.format"});
  folder_.write("weights.dat", good_npy());
  EXPECT_EQ(open_everywhere({folder_.file("weights.dat")}).dataset->format, "npy");
}

}  // namespace
}  // namespace loadstone
