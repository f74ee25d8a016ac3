// Shards that are ranges of files: each file is opened, asked and read once, and every shard gets its own bytes.
#include "loader/ranges.hpp"

#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "loader/discover_support.hpp"

namespace loadstone {
namespace {

using test::Opened;
using test::RangesOfFiles;
using test::TempDir;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

LoadOptions fixed_ways() {
  LoadOptions options;
  options.io = {.backend = "posix", .direct = "off", .mapped = "off", .request_bytes = kMiB};
  return options;
}

/// Ten thousand ranges of about 2 KiB behind a header, each touching the one before.
RangesOfFiles ten_thousand(std::int64_t gap = 0) {
  std::mt19937_64 random = test::generator();
  RangesOfFiles ranges;
  ranges.file_bytes = {90'021};
  for (int i = 0; i < 10'000; ++i) ranges.append(0, test::pick(random, 1000, 3000), gap);
  return ranges;
}

/// Loads on so many ranks, each of which must hold what the files hold.
LoadStats load_on(int ranks, const TempDir& directory, const LoadOptions& options,
                  const std::vector<std::byte>& wanted) {
  LoadStats totals;
  run_threads(ranks, [&](const CommPtr& comm) {
    const DistributedArray array = load({directory.path().string()}, options, comm);
    EXPECT_LE(array.stats.peak_bytes, array.stats.budget_bytes);
    const LoadStats sum = total(array.stats, comm);
    if (comm->rank() == 0) totals = sum;
    if (!options.split) {
      EXPECT_TRUE(std::ranges::equal(array.local_bytes(), wanted)) << "rank " << comm->rank();
    } else {
      EXPECT_EQ(array.gather(-1), wanted) << ranks << " ranks, split " << *options.split;
    }
  });
  return totals;
}

TEST(Ranges, TenThousandOfOneFileAreOneFile_IO25) {
  const TempDir directory;
  const RangesOfFiles ranges = ten_thousand();
  ranges.write(directory);
  const Dataset dataset = open({directory.path().string()});
  ASSERT_EQ(dataset.shards.size(), 10'000U);
  ASSERT_EQ(dataset.files.size(), 1U);
  EXPECT_EQ(dataset.file_of(dataset.shards[9'999]).path, directory.file("f0.bin"));
  EXPECT_EQ(dataset.files[0].identity.size, ranges.file_bytes[0]);
  const std::vector<std::byte> wanted = ranges.stored();
  const std::int64_t bytes = std::ssize(wanted);
  for (const int ranks : {1, 2, 3}) {
    const LoadStats stats = load_on(ranks, directory, fixed_ways(), wanted);
    EXPECT_EQ(stats.opens, ranks);
    EXPECT_EQ(stats.bytes_read, bytes);
    EXPECT_EQ(stats.bytes_in_place, bytes);
    EXPECT_LE(stats.requests, bytes / kMiB + 4 * ranks);
    EXPECT_LE(make_plan(dataset, fixed_ways(), ranks).requests, bytes / kMiB + 2 * ranks);
  }
  LoadOptions as_shipped;
  EXPECT_LE(load_on(1, directory, as_shipped, wanted).opens, 2) << "one buffered, one direct";
}

TEST(Ranges, GapsOfAFewBytesAreReadOver) {
  const TempDir directory;
  const RangesOfFiles ranges = ten_thousand(13);
  ranges.write(directory);
  const std::vector<std::byte> wanted = ranges.stored();
  const std::int64_t bytes = std::ssize(wanted);
  const LoadStats stats = load_on(1, directory, fixed_ways(), wanted);
  EXPECT_EQ(stats.opens, 1);
  EXPECT_EQ(stats.bytes_in_place, bytes);
  EXPECT_LE(stats.bytes_read, bytes + bytes / 50);
  EXPECT_LE(stats.requests, 10'000 / 250 + 4) << "each run and each gap is a destination, the kernel takes 512";
}

TEST(Ranges, ACastGoesThroughWholeBlocks) {
  const TempDir directory;
  const RangesOfFiles ranges = ten_thousand();
  ranges.write(directory);
  std::vector<std::byte> wanted;
  for (const std::byte byte : ranges.stored()) {
    wanted.push_back(byte);
    wanted.push_back(std::byte{0});
  }
  LoadOptions options = fixed_ways();
  options.dtype = parse_dtype("<u2");
  const LoadStats stats = load_on(1, directory, options, wanted);
  EXPECT_EQ(stats.bytes_in_place, 0);
  EXPECT_LE(stats.requests, stats.bytes_wanted / kMiB * 2 + 4);
}

TEST(Ranges, AreReadInTheOrderOfTheFileWhateverTheirOwn_IO25) {
  const TempDir directory;
  RangesOfFiles ranges = ten_thousand();
  std::mt19937_64 random = test::generator();
  for (const bool reversed : {true, false}) {
    if (reversed) std::ranges::reverse(ranges.ranges);
    if (!reversed) std::shuffle(ranges.ranges.begin(), ranges.ranges.end(), random);
    ranges.write(directory);
    const std::vector<std::byte> wanted = ranges.stored();
    const LoadStats stats = load_on(1, directory, fixed_ways(), wanted);
    EXPECT_EQ(stats.opens, 1);
    EXPECT_EQ(stats.bytes_read, std::ssize(wanted));
    EXPECT_LE(stats.requests, std::ssize(wanted) / kMiB + 10'000 / 500 + 4);
  }
}

/// How a load may go: the bytes are the same every time.
std::vector<LoadOptions> ways_to_go() {
  std::vector<LoadOptions> all;
  for (const char* const backend : {"posix", "uring"}) {
    if (backend == std::string("uring") && !backends()[1].usable) continue;
    for (const char* const direct : {"off", "on"}) {
      for (const char* const landing : {"auto", "staged"}) {
        for (const std::int64_t budget : {kMiB, 64 * kMiB}) {
          LoadOptions options;
          options.io = {.backend = backend, .direct = direct, .landing = landing};
          options.budget_bytes = budget;
          all.push_back(options);
        }
      }
    }
  }
  return all;
}

TEST(Ranges, EveryShardGetsItsOwnBytes_DS39) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  const std::vector<LoadOptions> ways = ways_to_go();
  const std::vector<RangesOfFiles> kinds = {{.dtype = "|u1"},
                                            {.dtype = ">i4", .itemsize = 4, .trailing = {3}},
                                            {.dtype = "<i2", .itemsize = 2, .trailing = {5, 2}}};
  for (int round = 0; round < 24; ++round) {
    const TempDir directory(".");
    const RangesOfFiles& kind = kinds[static_cast<std::size_t>(round) % kinds.size()];
    const RangesOfFiles ranges = test::random_ranges(random, kind);
    ranges.write(directory);
    const std::vector<std::byte> wanted = kind.dtype[0] == '>' ? ranges.swapped() : ranges.stored();
    SCOPED_TRACE("round " + std::to_string(round));
    LoadOptions options = ways[static_cast<std::size_t>(test::pick(random, 0, std::ssize(ways) - 1))];
    const auto axes = std::ssize(kind.trailing);
    for (std::int64_t split = -1; split <= axes; ++split) {
      options.split = split < 0 ? std::nullopt : std::optional(split);
      options.overdecompose = test::pick(random, 0, 2) == 0 ? 3 : 1;
      load_on(static_cast<int>(test::pick(random, 1, 5)), directory, options, wanted);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Ranges, ASelectionTakesItsRowsOfEveryShard_DS53) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  for (int round = 0; round < 15; ++round) {
    const TempDir directory;
    const RangesOfFiles ranges = test::random_ranges(random, {.dtype = "<i4", .itemsize = 4, .trailing = {3}});
    ranges.write(directory);
    const std::vector<std::byte> all = ranges.stored();
    const std::int64_t rows = std::ssize(all) / 12;
    const Slice slice{test::pick(random, 0, rows), test::pick(random, 0, rows), test::pick(random, 1, 40)};
    std::vector<std::byte> wanted;
    for (std::int64_t row = *slice.begin; row < *slice.end; row += slice.step) {
      wanted.insert(wanted.end(), all.begin() + row * 12 + 4, all.begin() + row * 12 + 8);
    }
    LoadOptions options;
    options.select = {slice, std::int64_t{1}};
    load_on(static_cast<int>(test::pick(random, 1, 4)), directory, options, wanted);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Ranges, AStreamTakesTheSameWay) {
  const TempDir directory;
  const RangesOfFiles ranges = ten_thousand();
  ranges.write(directory);
  const std::vector<std::byte> wanted = ranges.stored();
  LoadOptions options = fixed_ways();
  options.budget_bytes = 2 * kMiB;
  BatchStream stream({directory.path().string()}, 3 * kMiB, options);
  std::vector<std::byte> got;
  std::int64_t batches = 0;
  std::int64_t opens = 0;
  std::int64_t requests = 0;
  while (const std::optional<DistributedArray> batch = stream.next()) {
    const std::span<const std::byte> bytes = batch->local_bytes();
    got.insert(got.end(), bytes.begin(), bytes.end());
    EXPECT_LE(batch->stats.peak_bytes, 2 * kMiB);
    opens += batch->stats.opens;
    requests += batch->stats.requests;
    ++batches;
  }
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(opens, batches);
  EXPECT_LE(requests, std::ssize(wanted) / kMiB + 3 * batches);
}

TEST(Ranges, SeveralDatasetsKeepTheirFiles) {
  const TempDir first;
  const TempDir second;
  RangesOfFiles ranges;
  for (int i = 0; i < 5; ++i) ranges.append(0, 10 + i, i);
  ranges.write(first);
  ranges.append(1, 7);
  ranges.append(0, 9);
  ranges.write(second);
  const Opened opened = test::open_everywhere({first.path().string(), second.path().string()});
  ASSERT_TRUE(opened.dataset) << opened.text;
  EXPECT_EQ(opened.dataset->files.size(), 3U);
  EXPECT_EQ(opened.dataset->shards.size(), 12U);
  EXPECT_EQ(opened.dataset->file_of(opened.dataset->shards[4]).path, first.file("f0.bin"));
  EXPECT_EQ(opened.dataset->file_of(opened.dataset->shards[10]).path, second.file("f1.bin"));
  EXPECT_EQ(opened.dataset->file_of(opened.dataset->shards[11]).path, second.file("f0.bin"));
}

// ---- what is wrong with a file is told of the right shard
// -------------------------------------------------------------

class BrokenRanges : public testing::Test {
 protected:
  BrokenRanges() {
    for (int i = 0; i < 8; ++i) ranges_.append(static_cast<std::size_t>(i % 2), 1000, 5);
    ranges_.write(directory_);
  }
  void cut(const std::string& name, std::int64_t bytes) const {
    std::filesystem::resize_file(directory_.file(name), static_cast<std::uintmax_t>(bytes));
  }
  void overwrite(const std::string& name, std::int64_t offset) const { overwrite(directory_, name, offset); }
  static void overwrite(const TempDir& directory, const std::string& name, std::int64_t offset) {
    std::fstream file(directory.file(name), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(offset);
    file.put(static_cast<char>(~test::pattern_byte(offset, name[1] - '0')));
  }
  /// What loading or verifying fails with.
  static Failure failure_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.failure();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
  static std::vector<std::int64_t> shards_of(const Failure& failure) {
    std::vector<std::int64_t> shards;
    for (const Fault& fault : failure.faults) shards.push_back(fault.shard.value_or(-1));
    return shards;
  }
  [[nodiscard]] Paths paths() const { return {directory_.path().string()}; }

  TempDir directory_;
  RangesOfFiles ranges_;
};

TEST_F(BrokenRanges, ACutFileNamesTheShardsThatLackBytes_C055) {
  cut("f1.bin", 2 * 1005 + 700);  // f1 holds shards 1, 3, 5, 7
  const Opened opened = test::open_everywhere(paths());
  ASSERT_FALSE(opened.dataset);
  EXPECT_EQ(shards_of(opened.failure), (std::vector<std::int64_t>{5, 7}));
  const Fault& fifth = opened.first();
  EXPECT_EQ(fifth.kind, "shard.truncated");
  EXPECT_EQ(fifth.path, directory_.file("f1.bin"));
  EXPECT_EQ(fifth.offset, 2 * 1005 + 5);
  EXPECT_EQ(fifth.wanted, Value(std::int64_t{1000}));
  EXPECT_EQ(fifth.got, Value(std::int64_t{695}));
}

TEST_F(BrokenRanges, AMissingFileIsToldOfEachOfItsShards) {
  std::filesystem::remove(directory_.file("f0.bin"));
  const Opened opened = test::open_everywhere(paths());
  EXPECT_EQ(shards_of(opened.failure), (std::vector<std::int64_t>{0, 2, 4, 6}));
  for (const Fault& fault : opened.failure.faults) {
    EXPECT_EQ(fault.kind, "complete.missing");
    EXPECT_EQ(fault.path, directory_.file("f0.bin"));
  }
}

TEST_F(BrokenRanges, AFileRewrittenAfterDiscoverIsChanged_DS51) {
  const Dataset dataset = open(paths());
  overwrite("f1.bin", 3 * 1005 + 17);
  for (const int ranks : {1, 3}) {
    run_threads(ranks, [&](const CommPtr& comm) {
      const Failure failure = failure_of([&] { load(dataset, {}, comm); });
      EXPECT_EQ(failure.first().code, Code::changed);
      EXPECT_EQ(failure.first().path, directory_.file("f1.bin"));
      ASSERT_TRUE(failure.first().shard);
      EXPECT_EQ(*failure.first().shard % 2, 1) << "a shard of that file";
    });
  }
  LoadOptions only;
  only.rows = Slice{3000, 4000, 1};  // shard 3
  EXPECT_EQ(failure_of([&] { load(dataset, only); }).first().shard, 3);
  only.rows = Slice{2000, 3000, 1};  // shard 2 lies in the other file
  EXPECT_EQ(load(dataset, only).shape(), (Shape{1000}));
}

TEST(Ranges, AChangeIsToldOfTheFirstShardThatARankReads_DS51) {
  const TempDir directory;
  ten_thousand().write(directory);
  const Dataset dataset = open({directory.path().string()});
  const std::int64_t row = dataset.row_index[7'777] + 5;
  std::filesystem::resize_file(directory.file("f0.bin"), 1'000'000);
  LoadOptions options;
  options.rows = Slice{row, row + 9000, 1};
  try {
    load(dataset, options);
    FAIL() << "a cut file was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::changed);
    EXPECT_EQ(error.faults().front().shard, 7'777);
  }
}

TEST_F(BrokenRanges, AReadThatFailsNamesTheShardThatHoldsItsBytes_IO34) {
  Dataset dataset = open(paths());
  dataset.shards[4].data_offset = ranges_.file_bytes[0] + 100;  // as if the file were longer
  for (const int ranks : {1, 2}) {
    run_threads(ranks, [&](const CommPtr& comm) {
      const Fault fault = failure_of([&] { load(dataset, {}, comm); }).first();
      EXPECT_EQ(fault.kind, "shard.truncated");
      EXPECT_EQ(fault.shard, 4);
      EXPECT_EQ(fault.path, directory_.file("f0.bin"));
      ASSERT_TRUE(fault.offset);
      EXPECT_GE(*fault.offset, dataset.shards[4].data_offset);
    });
  }
}

// ---- manifests of ranges
// ----------------------------------------------------------------------------------------------

class RecordedRanges : public BrokenRanges {
 protected:
  RecordedRanges() {
    VerifyOptions options;
    options.write_manifest = true;
    EXPECT_EQ(verify(paths(), options).bytes_read, ranges_.file_bytes[0] + ranges_.file_bytes[1]) << "each file once";
  }
};

TEST_F(RecordedRanges, VerifyReadsEachFileOnceAndFindsThemAllRight_DS56) {
  for (const int ranks : {1, 2, 3}) {
    run_threads(ranks, [&](const CommPtr& comm) {
      const VerifyReport report = verify(paths(), {}, comm);
      EXPECT_TRUE(report.against_manifest);
      EXPECT_EQ(report.shards_verified, 8);
      EXPECT_EQ(report.bytes_read, ranges_.file_bytes[0] + ranges_.file_bytes[1]);
      EXPECT_TRUE(report.warnings.empty()) << report.warnings.front().message;
    });
  }
  LoadOptions options;
  options.verify = Verify::crc;
  for (const int ranks : {1, 3}) EXPECT_EQ(load_on(ranks, directory_, options, ranges_.stored()).unverified_bytes, 0);
}

TEST_F(RecordedRanges, AWrongByteIsToldOfItsShardAlone_DS59) {
  overwrite("f1.bin", 2 * 1005 + 5 + 400);  // in shard 5
  EXPECT_EQ(shards_of(failure_of([&] { verify(paths()); })), std::vector<std::int64_t>{5});
  for (const char* const landing : {"auto", "staged"}) {
    LoadOptions options;
    options.verify = Verify::crc;
    options.io.landing = landing;
    for (const int ranks : {1, 2, 5}) {
      run_threads(ranks, [&](const CommPtr& comm) {
        const Failure failure = failure_of([&] { load(paths(), options, comm); });
        EXPECT_EQ(failure.first().kind, "verify.differs");
        EXPECT_EQ(shards_of(failure), std::vector<std::int64_t>{5});
      });
    }
  }
}

TEST_F(RecordedRanges, AWrongByteBetweenShardsIsToldOfTheFile) {
  overwrite("f0.bin", 1005 + 2);  // in a gap
  const Failure failure = failure_of([&] { verify(paths()); });
  ASSERT_EQ(shards_of(failure), std::vector<std::int64_t>{0});
  EXPECT_EQ(failure.first().path, directory_.file("f0.bin"));
  LoadOptions options;
  options.verify = Verify::crc;
  load_on(2, directory_, options, ranges_.stored());
}

TEST_F(RecordedRanges, ChainsAreSummedShardByShard_DS59) {
  const TempDir directory;
  const RangesOfFiles ranges = ten_thousand();
  ranges.write(directory);
  VerifyOptions record;
  record.write_manifest = true;
  verify({directory.path().string()}, record);
  LoadOptions options = fixed_ways();
  options.verify = Verify::crc;
  const Paths paths = {directory.path().string()};
  for (const bool right : {true, false}) {
    if (!right) overwrite(directory, "f0.bin", ranges.ranges[7'777].offset);
    for (const char* const dtype : {"|u1", "<u2"}) {
      options.dtype = parse_dtype(dtype);
      run_threads(3, [&](const CommPtr& comm) {
        if (!right) {
          EXPECT_EQ(shards_of(failure_of([&] { load(paths, options, comm); })), std::vector<std::int64_t>{7'777});
          return;
        }
        const DistributedArray array = load(paths, options, comm);
        EXPECT_EQ(array.stats.unverified_bytes, 0);
        EXPECT_EQ(array.stats.opens, 1);
      });
    }
  }
}

TEST_F(RecordedRanges, CleanRemovesEachFileOnce_DS64) {
  std::filesystem::remove(directory_.file("shard_meta.json"));
  const CleanReport report = clean(directory_.path().string(), true);
  EXPECT_EQ(report.removed.size(), 4U) << "two files, the manifest, the directory";
  EXPECT_FALSE(std::filesystem::exists(directory_.path()));
}

}  // namespace
}  // namespace loadstone
