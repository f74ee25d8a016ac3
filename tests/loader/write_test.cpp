// write, verify and clean: a dataset made, checked and taken away again.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <algorithm>
#include <set>

#include "core/pages.hpp"
#include "io/output_file.hpp"
#include "support/index_shards.hpp"
#include "support/temp_dir.hpp"

namespace loadstone {
namespace {

using test::TempDir;

WriteOptions small(std::uint64_t seed = 0) {
  WriteOptions options;
  options.shape = {40, 3};
  options.shards = 5;
  options.seed = seed;
  return options;
}

Code code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Code::internal;
}

TEST(Write, DS63RankCountChangesNoByte) {
  const TempDir root;
  write(root.file("alone"), small());
  for (const int ranks : {2, 3, 4, 7}) {
    const std::string directory = root.file("ranks" + std::to_string(ranks));
    run_threads(ranks, [&](const CommPtr& comm) { write(directory, small(), comm); });
    for (const std::string& name : test::names_in(root.file("alone"))) {
      EXPECT_EQ(test::read_file(root.file("alone/") + name), test::read_file(directory + "/" + name)) << name << ranks;
    }
  }
}

TEST(Write, MoreShardsThanRowsAreUniformOnly) {
  const TempDir root;
  WriteOptions options = small();
  options.shape = {3, 2};
  try {
    write(root.file("d"), options);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().first().kind, "write.rows");
    EXPECT_EQ(error.failure().first().remedy.text(Audience::command).find("uneven"), std::string::npos);
  }
  options.rows = "uniform";
  EXPECT_EQ(write(root.file("d"), options).shards.size(), 5U);
}

TEST(Write, DS27ForceIsTheNextGenerationAndTheOldFilesGo) {
  const TempDir root;
  const std::string directory = root.file("d");
  write(directory, small());
  EXPECT_EQ(code_of([&] { write(directory, small(1)); }), Code::refused);
  WriteOptions forced = small(1);
  forced.force = true;
  EXPECT_EQ(write(directory, forced).generation, 2);
  for (const std::string& name : test::names_in(directory)) {
    EXPECT_TRUE(name == "loadstone-manifest.json" || name.find(".g2.") != std::string::npos) << name;
  }
  EXPECT_EQ(test::names_in(directory).size(), 6U);
  EXPECT_EQ(verify({directory}).shards_verified, 5);
}

TEST(Write, DS63ForeignFilesAreNeverTouched) {
  const TempDir root;
  test::write_file(root.file("notes.txt"), "mine");
  test::write_file(root.file("shard_0001.npy"), "mine too");
  EXPECT_EQ(code_of([&] { write(root.path().string(), small()); }), Code::refused);
  WriteOptions forced = small();
  forced.force = true;
  EXPECT_EQ(write(root.path().string(), forced).generation, 2) << "a name of generation 1 is taken";
  EXPECT_EQ(test::read_file(root.file("shard_0001.npy")), "mine too");
  EXPECT_EQ(test::read_file(root.file("notes.txt")), "mine");
  EXPECT_EQ(test::names_in(root.path()).size(), 2U + 5U + 1U);
}

TEST(Write, W1NamesThatADeadWriterLeftAreSteppedOver) {
  const test::TempDir root;
  const std::string directory = root.file("d");
  write(directory, small());
  test::write_file(directory + "/shard_0001.g2.npy", "of a writer that was killed before its commit");
  WriteOptions forced = small(1);
  forced.force = true;
  EXPECT_EQ(write(directory, forced).generation, 3);
  EXPECT_EQ(verify({directory}).shards_verified, 5);
}

TEST(Write, ASecondWriterIsRefused) {
  const test::TempDir root;
  const auto lock = io::DirectoryLock::take(root.path().string());
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(code_of([&] { write(root.path().string(), small()); }), Code::refused);
  EXPECT_TRUE(test::names_in(root.path()).empty());
}

TEST(Write, BadOptionsWriteNothing) {
  const TempDir root;
  const std::string directory = root.file("d");
  for (const auto& spoil : std::vector<std::function<void(WriteOptions&)>>{
           [](WriteOptions& o) { o.shards = 0; }, [](WriteOptions& o) { o.rows = "1,2"; },
           [](WriteOptions& o) { o.rows = "1,2,x"; }, [](WriteOptions& o) { o.shape = {3, 3}; },
           [](WriteOptions& o) { o.shape = {}; }, [](WriteOptions& o) { o.fill = "zeros"; },
           [](WriteOptions& o) { o.rows = "9223372036854775807,9223372036854775807,0,0,0"; },
           [](WriteOptions& o) { o.format = "raw"; }}) {
    WriteOptions options = small();
    spoil(options);
    EXPECT_EQ(code_of([&] { write(directory, options); }), Code::bad_argument);
    EXPECT_FALSE(std::filesystem::exists(directory));
  }
}

TEST(Verify, DS56AllTroubledShardsAreListed) {
  const TempDir root;
  const std::string directory = root.file("d");
  write(directory, small());
  EXPECT_EQ(verify({directory}).shards_verified, 5);
  for (const char* const name : {"/shard_0000.npy", "/shard_0003.npy"}) {
    std::string bytes = test::read_file(directory + name);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    test::write_file(directory + name, bytes);
  }
  std::filesystem::remove(directory + "/shard_0001.npy");
  for (const int ranks : {1, 2, 3}) {
    run_threads(ranks, [&](const CommPtr& comm) {
      try {
        verify({directory}, {}, comm);
        ADD_FAILURE() << "troubled shards passed";
      } catch (const Error& error) {
        std::multiset<std::string> kinds;
        for (const Fault& fault : error.faults()) kinds.insert(fault.kind);
        EXPECT_EQ(kinds, (std::multiset<std::string>{"complete.missing", "verify.differs", "verify.differs"}));
      }
    });
  }
}

TEST(Verify, DS57RecordingAnewSaysWhichShardsChangedOnEveryRank) {
  const TempDir root;
  const std::string directory = root.file("d");
  write(directory, small());
  VerifyOptions recording;
  recording.write_manifest = true;
  for (const int ranks : {1, 3}) {
    const std::int64_t before = open({directory}).manifest_generation;
    std::string bytes = test::read_file(directory + "/shard_0003.npy");
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    test::write_file(directory + "/shard_0003.npy", bytes);
    run_threads(ranks, [&](const CommPtr& comm) {
      const VerifyReport report = verify({directory}, recording, comm);
      EXPECT_EQ(report.replaced_generation, before);
      EXPECT_EQ(report.generation, before + 1);
      EXPECT_EQ(report.changed, std::vector<std::string>{"shard_0003.npy"});
      EXPECT_TRUE(report.added.empty() && report.dropped.empty() && report.warnings.empty());
    });
  }
  test::write_file(directory + "/loadstone-manifest.json", "{");
  const VerifyReport report = verify({directory}, recording);
  EXPECT_EQ(report.replaced_generation, 0);
  EXPECT_TRUE(report.changed.empty());
  EXPECT_EQ(report.warnings.size(), 1U);
}

TEST(Verify, DS59CrcFindsAFlippedBitForEverySplitInThePassThatLoads) {
  const TempDir root;
  const std::string directory = root.file("d");
  write(directory, small());
  LoadOptions options;
  options.verify = Verify::crc;
  const auto try_all = [&](Code wanted) {
    for (const int ranks : {1, 2, 3}) {
      for (const std::optional<std::int64_t> split :
           {std::optional<std::int64_t>(0), std::optional<std::int64_t>(1), std::optional<std::int64_t>()}) {
        options.split = split;
        run_threads(ranks, [&](const CommPtr& comm) {
          try {
            const DistributedArray array = load({directory}, options, comm);
            EXPECT_EQ(wanted, Code::internal) << "a flipped bit was not found";
            EXPECT_EQ(array.stats.unverified_bytes, 0);
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), wanted) << error.what();
          }
        });
      }
    }
  };
  try_all(Code::internal);  // stands for success
  std::string bytes = test::read_file(directory + "/shard_0002.npy");
  bytes.back() = static_cast<char>(bytes.back() ^ 4);
  test::write_file(directory + "/shard_0002.npy", bytes);
  try_all(Code::checksum);
  bytes.back() = static_cast<char>(bytes.back() ^ 4);
  test::write_file(directory + "/shard_0002.npy", bytes);
  options.rows = Slice{1, 39, 1};  // parts of shards are not summed, and said so
  options.split = 0;
  EXPECT_GT(load({root.file("d")}, options).stats.unverified_bytes, 0);
}

/// The reason is one that no other test of this program meets: each is told once in a process.
TEST(Verify, IO11FallbacksAreAnnounced) {
  const Pages memory(std::int64_t{5} << 20, "hugetlb");
  if (memory.huge_pages().reserved_error == 0) GTEST_SKIP() << "this system has a reserved pool of 2 MiB pages";
  const TempDir directory;
  test::write_index_shards(directory, {100, 3}, {60, 40});
  VerifyOptions options;
  options.write_manifest = true;
  options.io.huge_pages = "hugetlb";
  options.budget_bytes = std::int64_t{64} << 20;
  std::vector<std::string> told;
  options.log = [&](const std::string& reason) { told.push_back(reason); };
  verify({directory.path().string()}, options);
  EXPECT_EQ(told, std::vector<std::string>{"2 MiB pages of the reserved pool refused: ENOMEM"});
}

TEST(Clean, DS64RemovesWhatTheManifestNamesAndNothingElse) {
  const TempDir root;
  const std::string directory = root.file("d");
  write(directory, small());
  test::write_file(directory + "/notes.txt", "mine");
  test::write_file(directory + "/shard_0004.npy", "of another size");
  std::filesystem::rename(directory + "/shard_0001.npy", root.file("outside.npy"));
  std::filesystem::create_symlink(root.file("outside.npy"), directory + "/shard_0001.npy");
  const CleanReport listed = clean(directory, false);
  EXPECT_EQ(test::names_in(directory).size(), 7U) << "without yes nothing goes";
  EXPECT_EQ(listed.kept.size(), 3U);
  clean(directory, true);
  EXPECT_EQ(test::names_in(directory), (std::vector<std::string>{"notes.txt", "shard_0001.npy", "shard_0004.npy"}));
  EXPECT_TRUE(std::filesystem::exists(root.file("outside.npy")));
  EXPECT_EQ(code_of([&] { clean(directory, true); }), Code::refused) << "no manifest any more";
}

TEST(Clean, AnIntactDatasetGoesWithItsDirectory) {
  const TempDir root;
  write(root.file("d"), small());
  clean(root.file("d"), true);
  EXPECT_FALSE(std::filesystem::exists(root.file("d")));
}

}  // namespace
}  // namespace loadstone
