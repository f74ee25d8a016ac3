// Raw shards: what sidecars, arguments and manifests say of them, alone and against each other (DS24, DS37 to DS39,
// DS57).
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

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
using Names = std::vector<std::string>;

const std::vector<std::int64_t> kRows = {4, 0, 5, 3};

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
  options.raw_dtype = "float32";
  options.byteorder = "big";
  const std::string further = "{\"dtype\": \"<f4\", \"trailing_shape\": [4], \"header_bytes\": 16}";
  const Opened other = with(further, options);
  ASSERT_TRUE(other.dataset) << other.text;
  EXPECT_EQ(other.dataset->shards[0].dtype.str(), ">f4");
  EXPECT_EQ(other.dataset->shape, (Shape{24, 2}));
  EXPECT_EQ(overridden(other), (Names{"the sidecar says byte order little, the argument big: the argument counts",
                                      "the sidecar says header bytes 16, the argument 0: the argument counts",
                                      "the sidecar says trailing shape (4,), the argument (2,): the argument counts"}));
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

TEST_F(Raw, DS37AByteOrderWithoutATypeIsThatOfTheFiles) {
  OpenOptions options;
  options.cast = parse_dtype("float32");
  const Opened big = with("{\"byteorder\": \"big\", \"trailing_shape\": [4]}", options);
  ASSERT_TRUE(big.dataset) << big.text;
  EXPECT_EQ(big.dataset->shards[0].dtype.str(), ">f4");
  options.raw_dtype = "float32";  // has no order of its own
  EXPECT_EQ(with("{\"byteorder\": \"big\", \"trailing_shape\": [4]}", options).dataset->shards[0].dtype.str(), ">f4");
  options.raw_dtype = "<f4";
  EXPECT_EQ(with("{\"byteorder\": \"big\", \"trailing_shape\": [4]}", options).dataset->shards[0].dtype.str(), "<f4");
  EXPECT_EQ(with("{\"byteorder\": \"bog\", \"trailing_shape\": [4]}", options).kinds(), Names{"sidecar.syntax"});
  options.byteorder = "big";
  EXPECT_EQ(with("{\"trailing_shape\": [4]}", options).kinds(), Names{"argument"}) << "two arguments that differ";
}

TEST_F(Raw, DS37WhatASidecarLeavesOpenItDoesNotContradict) {
  OpenOptions options;
  options.strict = true;
  options.header_bytes = 16;
  options.byteorder = "big";
  options.expect_shards = 4;
  folder_.write(name(1), std::string(16, 'x'));  // a header, no rows
  const Opened result = with("{\"dtype\": \"float32\", \"trailing_shape\": [4]}", options);
  ASSERT_TRUE(result.dataset) << result.text;
  EXPECT_EQ(result.dataset->shards[0].dtype.str(), ">f4");
  EXPECT_EQ(result.dataset->shards[0].data_offset, 16);
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
            "the sidecar says where each range begins: header bytes move none of them");
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

TEST_F(Recorded, DS57ShardsOfAnotherFormatAreNotDescribedAsTheOldOnes) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    folder_.remove(name(i));
    folder_.write(shard_name(static_cast<std::int64_t>(i)), good_npy(kRows[i], "3", 12));
  }
  const VerifyReport report = verify({folder_.path()}, record_);
  EXPECT_EQ(report.warnings.back().kind, "manifest.redescribed");
  EXPECT_EQ(found().shape, (Shape{12, 3}));
  EXPECT_EQ(found().format, "npy");
}

TEST_F(Recorded, DS57WhatAnArgumentLeavesOpenStaysAsItIsRecorded) {
  record_.open.trailing_shape = Shape{4};
  const VerifyReport report = verify({folder_.path()}, record_);
  EXPECT_EQ(report.warnings.back().kind, "manifest.redescribed");
  EXPECT_EQ(found().shape, (Shape{3 + 0 + 4 + 2, 4}));
  EXPECT_EQ(found().shards[0].dtype.str(), ">f4");
  EXPECT_EQ(found().shards[0].data_offset, 16);
}

TEST_F(Recorded, DS57UnderStrictNothingIsReplacedThatWouldBeTold) {
  record_.open.strict = true;
  record_.open.byteorder = "little";
  try {
    verify({folder_.path()}, record_);
    FAIL() << "another byte order is a warning, so it is an error under strict";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().first().kind, "manifest.redescribed") << error.what();
    EXPECT_EQ(error.failure().first().path, folder_.file("loadstone-manifest.json"));
  }
  EXPECT_EQ(found().shards[0].dtype.str(), ">f4");
  EXPECT_EQ(found().manifest_generation, 1);
}

TEST_F(Recorded, DS26FilesThatAreListedMakeTheNextGenerationToo) {
  record_.open.raw_dtype = ">f4";
  record_.open.trailing_shape = Shape{2};
  record_.open.header_bytes = 16;
  const VerifyReport report = verify({folder_.file(name(1)), folder_.file(name(0))}, record_);
  EXPECT_EQ(report.replaced_generation, 1);
  EXPECT_EQ(report.generation, 2);
  EXPECT_EQ(found().manifest_generation, 2);
  EXPECT_EQ(report.dropped, (Names{name(2), name(3)}));
  EXPECT_EQ(report.warnings.back().kind, "manifest.redescribed") << "x_1 comes before x_0 now";
}

TEST_F(Raw, DS57PartsOfFilesAreRecordedAnewAsTheyAre) {
  VerifyOptions record;
  record.write_manifest = true;
  folder_.write("ten.bin", "0123456789");
  for (std::size_t i = 0; i < kRows.size(); ++i) folder_.remove(name(i));
  const std::string sidecar =
      "{\"dtype\": \"|u1\", \"trailing_shape\": [], \"shards\": [{\"path\": \"ten.bin\", \"offset\": 6, \"rows\": 2}, "
      "{\"path\": \"ten.bin\", \"offset\": 1, \"rows\": 3}]}";
  ASSERT_TRUE(with(sidecar).dataset);
  verify({folder_.path()}, record);
  folder_.remove("shard_meta.json");
  const VerifyReport report = verify({folder_.path()}, record);
  EXPECT_EQ(report.generation, 2);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front().message;
  const Opened opened = open_everywhere({folder_.path()});
  ASSERT_TRUE(opened.dataset) << opened.text;
  EXPECT_EQ(opened.dataset->row_index, (std::vector<std::int64_t>{0, 2, 5}));
  EXPECT_EQ(opened.dataset->shards[0].data_offset, 6);
  folder_.write("more.bin", "01234");
  try {
    verify({folder_.path()}, record);
    FAIL() << "nothing tells what of more.bin is meant";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().first().kind, "manifest.parts") << error.what();
  }
}

TEST_F(Raw, DS57RowsThatASidecarStatedStayWithoutIt) {
  const std::string sidecar = "{\"dtype\": \"<f4\", \"trailing_shape\": [4], \"per_shard_rows\": [3, 0, 5, 2]}";
  VerifyOptions record;
  record.write_manifest = true;
  record.open.allow_tail = true;
  ASSERT_TRUE(with(sidecar, record.open).dataset);
  verify({folder_.path()}, record);
  folder_.remove("shard_meta.json");
  verify({folder_.path()}, record);
  EXPECT_EQ(open_everywhere({folder_.path()}).dataset->shape, (Shape{10, 4}));
}

TEST_F(Raw, DS57TheOrderThatNamesDoNotTellStays) {
  for (std::size_t i = 0; i < kRows.size(); ++i) folder_.remove(name(i));
  folder_.write("alpha.bin", std::string(16, 'a'));
  folder_.write("beta.bin", std::string(32, 'b'));
  VerifyOptions record;
  record.write_manifest = true;
  record.open.raw_dtype = "<f4";
  record.open.trailing_shape = Shape{4};
  verify({folder_.file("beta.bin"), folder_.file("alpha.bin")}, record);
  record.open = {};
  const VerifyReport report = verify({folder_.path()}, record);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front().message;
  EXPECT_EQ(open_everywhere({folder_.path()}).dataset->row_index, (std::vector<std::int64_t>{0, 2, 3}));
  record.open.order = Order::given;  // by name, then
  EXPECT_EQ(verify({folder_.path()}, record).warnings.front().kind, "manifest.redescribed");
}

TEST_F(Raw, DS24ASidecarThatIsGivenBesideAManifestIsTold) {
  VerifyOptions record;
  record.write_manifest = true;
  record.open.raw_dtype = "<f4";
  record.open.trailing_shape = Shape{4};
  verify({folder_.path()}, record);
  OpenOptions options;
  options.sidecar = folder_.file("other.json");
  EXPECT_EQ(open_everywhere({folder_.path()}, options).warnings(), Names{"argument.overridden"});
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
