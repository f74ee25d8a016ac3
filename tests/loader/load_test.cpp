// The main job on the threads communicator: every element of every tile is its global index, whatever the path.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <mutex>
#include <set>
#include <string>

#include "support/index_shards.hpp"
#include "support/seed.hpp"

namespace loadstone {
namespace {

using test::Form;
using test::TempDir;

const Shape kShape = {61, 7, 3};
const std::vector<std::int64_t> kRows = {9, 0, 20, 1, 31};
const std::vector<int> kRankCounts = {1, 2, 3, 4, 5, 7};

/// Digests of all ranks of one load; one if they agree.
template <class T>
std::set<std::string> load_everywhere(int ranks, const Paths& paths, const LoadOptions& options) {
  std::set<std::string> digests;
  std::mutex mutex;
  run_threads(ranks, [&](const CommPtr& comm) {
    const DistributedArray array = load(paths, options, comm);
    const std::int64_t wrong = test::first_wrong_element<T>(array);
    const std::string digest = array.digest();
    const std::scoped_lock lock(mutex);
    EXPECT_EQ(wrong, -1) << "rank " << comm->rank() << " of " << ranks << " at its element " << wrong;
    EXPECT_LE(array.stats.peak_bytes, array.stats.budget_bytes);
    digests.insert(digest);
  });
  return digests;
}

class LoadTest : public testing::Test {
 protected:
  LoadTest() {
    test::write_index_shards(directory_, kShape, kRows,
                             {{}, {true, false, 4096}, {false, true, 711}, {true, true, 128}});
  }
  [[nodiscard]] Paths paths() const { return {directory_.path().string()}; }

  TempDir directory_;
};

TEST_F(LoadTest, DS62EveryRankCountSplitAndTilingGivesTheSameDigest) {
  std::set<std::string> digests;
  for (const int ranks : kRankCounts) {
    for (const std::optional<std::int64_t> split : {std::optional<std::int64_t>(0), std::optional<std::int64_t>(1),
                                                    std::optional<std::int64_t>(2), std::optional<std::int64_t>()}) {
      LoadOptions options;
      options.split = split;
      digests.merge(load_everywhere<std::int32_t>(ranks, paths(), options));
    }
    LoadOptions ceil;
    ceil.tiles = Tiles::ceil;
    digests.merge(load_everywhere<std::int32_t>(ranks, paths(), ceil));
    LoadOptions folded;
    folded.overdecompose = 3;
    digests.merge(load_everywhere<std::int32_t>(ranks, paths(), folded));
    LoadOptions last;
    last.has_rows_per_rank = true;
    last.rows_per_rank.assign(static_cast<std::size_t>(ranks), 0);
    last.rows_per_rank.back() = 61;
    digests.merge(load_everywhere<std::int32_t>(ranks, paths(), last));
  }
  EXPECT_EQ(digests.size(), 1U);
}

TEST_F(LoadTest, M4EveryBudgetFromTheSmallestAndEveryBackendGivesTheSameBytes) {
  std::set<std::string> digests;
  for (const char* const backend : {"posix", "uring"}) {
    if (backend == std::string("uring") && !backends()[1].usable) continue;
    for (const std::int64_t split : {0, 1, 2}) {
      LoadOptions options;
      options.split = split;
      options.dtype = parse_dtype("float64");
      options.io.backend = backend;
      options.budget_bytes = 1;
      std::int64_t smallest = 0;
      try {
        load(paths(), options);
        FAIL() << "a budget of one byte was enough";
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), Code::budget);
        smallest = std::get<std::int64_t>(error.faults().front().wanted);
      }
      for (const std::int64_t budget : {smallest, 2 * smallest, std::int64_t{64} << 20}) {
        options.budget_bytes = budget;
        for (const int ranks : {1, 3, 4}) digests.merge(load_everywhere<double>(ranks, paths(), options));
      }
      options.budget_bytes = smallest - 1;
      try {
        load(paths(), options);
        FAIL() << "one byte less than the smallest budget was enough";
      } catch (const Error& error) {
        EXPECT_EQ(std::get<std::int64_t>(error.faults().front().wanted), smallest);
      }
    }
  }
  EXPECT_EQ(digests.size(), 1U);
}

TEST_F(LoadTest, P5AFailureOfOneShardIsTheSameErrorOnEveryRank) {
  test::write_file(directory_.file("shard_0003.npy"), "no array");
  for (const int ranks : kRankCounts) {
    std::set<std::string> texts;
    std::mutex mutex;
    run_threads(ranks, [&](const CommPtr& comm) {
      for (int again = 0; again < 2; ++again) {  // the communicator works afterwards
        try {
          load(paths(), {}, comm);
          ADD_FAILURE() << "a broken shard was loaded";
        } catch (const Error& error) {
          const std::scoped_lock lock(mutex);
          texts.insert(error.what());
          EXPECT_EQ(error.code(), Code::malformed);
        }
      }
    });
    EXPECT_EQ(texts.size(), 1U);
  }
}

TEST_F(LoadTest, C091AValueThatOneRankMeetsWhileReadingFailsOnAll) {
  for (const int ranks : kRankCounts) {
    std::set<std::string> texts;
    std::mutex mutex;
    run_threads(ranks, [&](const CommPtr& comm) {
      LoadOptions options;
      options.dtype = parse_dtype("int8");
      options.casting = Casting::checked;
      try {
        load(paths(), options, comm);
        ADD_FAILURE() << "values were lost";
      } catch (const Error& error) {
        const std::scoped_lock lock(mutex);
        texts.insert(error.what());
        EXPECT_EQ(error.code(), Code::lossy);
      }
      const DistributedArray good = load(paths(), {}, comm);
      EXPECT_EQ(test::first_wrong_element<std::int32_t>(good), -1);
    });
    EXPECT_EQ(texts.size(), 1U);
  }
}

TEST_F(LoadTest, DS49ALostValueIsNamedByShardIndexAndValue) {
  LoadOptions options;
  options.dtype = parse_dtype("int8");
  options.casting = Casting::checked;
  options.rows = Slice{9, 61, 1};  // from the second row of shard 2 on, row 7 holds index 147
  options.budget_bytes = std::int64_t{1} << 20;
  try {
    load(paths(), options);
    FAIL() << "values were lost";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(" is out of range as int8; the shard holds int32"), std::string::npos) << text;
    EXPECT_NE(text.find("element ["), std::string::npos) << text;
    EXPECT_NE(text.find("nothing wraps"), std::string::npos) << text;
  }
}

TEST_F(LoadTest, ADeviceThatIsNotBuiltIsRefusedByName) {
  for (const auto& [device, code] :
       {std::pair<const char*, Code>{"cuda", Code::unsupported}, {"banana", Code::bad_argument}}) {
    LoadOptions options;
    options.device = device;
    try {
      load(paths(), options);
      ADD_FAILURE() << device << " was ignored";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
    }
  }
}

TEST_F(LoadTest, DS42ARankWithOtherOptionsIsAMismatchOnAll) {
  run_threads(3, [&](const CommPtr& comm) {
    LoadOptions options;
    if (comm->rank() == 2) options.split = 1;
    try {
      load(paths(), options, comm);
      ADD_FAILURE() << "ranks disagreed and nobody said so";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::mismatch);
      EXPECT_EQ(error.faults().front().kind, "ranks.differ");
    }
  });
}

TEST_F(LoadTest, ARefusalOfOneRankEndsTheCallOnAll) {
  run_threads(3, [&](const CommPtr& comm) {
    const auto call = [&] {
      if (comm->rank() != 1) {
        load(paths(), {}, comm);
        return;
      }
      Failure failure;
      failure.faults.push_back(
          {.code = Code::bad_argument, .kind = "split", .message = "split is a text", .remedy = "Give a number"});
      refuse(Error(std::move(failure)), comm);
    };
    try {
      call();
      ADD_FAILURE() << "one rank refused and another loaded";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_argument);
    }
  });
}

TEST_F(LoadTest, AStopIsCancelledOnEveryRank) {
  run_threads(3, [&](const CommPtr& comm) {
    std::stop_source stop;
    if (comm->rank() == 1) stop.request_stop();
    LoadOptions options;
    options.stop = stop.get_token();
    try {
      load(paths(), options, comm);
      ADD_FAILURE() << "a stopped load went on";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::cancelled);
    }
  });
}

TEST_F(LoadTest, LoadsIntoMemoryOfTheCaller) {
  for (const int ranks : kRankCounts) {
    run_threads(ranks, [&](const CommPtr& comm) {
      const Dataset dataset = open(paths(), {}, comm);
      const Distribution even = Distribution::even(dataset.shape, 0, ranks);
      const Shape tile = even.local_shape(comm->rank());
      auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(tile[0] * 7 * 3 * 4));
      LoadOptions options;
      options.out = Destination{*memory, memory, dataset.dtype, tile};
      const DistributedArray array = load(dataset, options, comm);
      EXPECT_EQ(array.local_bytes().data(), memory->data());
      EXPECT_EQ(memory.use_count(), 3) << "held here, by the options and by the array";
      auto wanted = static_cast<std::int32_t>(array.box()[0].begin * 7 * 3);
      for (const std::int32_t value : array.local<std::int32_t>()) ASSERT_EQ(value, wanted++);
      // One rank's memory does not fit: all ranks hear of it.
      options.out = comm->rank() == ranks - 1 ? std::optional(Destination{}) : std::nullopt;
      try {
        load(dataset, options, comm);
        ADD_FAILURE() << "loaded into nothing";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::mismatch);
        EXPECT_EQ(error.failure().first().kind, "out");
        EXPECT_EQ(error.failure().rank, ranks > 1 ? ranks - 1 : -1);
      }
    });
  }
}

TEST_F(LoadTest, DS53ASelectionIsTheSameOnEveryPath) {
  LoadOptions options;
  options.select = parse_selection("3:58:2,-2,::2");
  std::set<std::string> digests;
  for (const int ranks : kRankCounts) {
    for (const std::int64_t split : {0, 1}) {
      options.split = split;
      run_threads(ranks, [&](const CommPtr& comm) {
        const DistributedArray array = load(paths(), options, comm);
        EXPECT_EQ(array.shape(), (Shape{28, 2}));
        const std::vector<std::byte> whole = array.gather(-1);
        for (std::int64_t n = 0; n < 28 * 2; ++n) {
          std::int32_t value = 0;
          std::memcpy(&value, whole.data() + n * 4, 4);
          ASSERT_EQ(value, (3 + n / 2 * 2) * 21 + 5 * 3 + n % 2 * 2);
        }
      });
    }
  }
}

TEST(Load, DS32AScalarIsOnEveryRankWhateverTheSplit) {
  const TempDir directory;
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (), }";
  header.resize(118, ' ');
  const double value = 2.5;
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header;
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  test::write_file(directory.file("scalar.npy"), bytes);
  run_threads(3, [&](const CommPtr& comm) {
    const DistributedArray array = load({directory.file("scalar.npy")}, {}, comm);
    EXPECT_TRUE(array.shape().empty());
    ASSERT_EQ(array.local<double>().size(), 1U);
    EXPECT_EQ(array.local<double>()[0], 2.5);
  });
}

TEST(Load, C088NoRowsAndMoreRanksThanRowsEndAtOnce) {
  for (const std::vector<std::int64_t>& rows : {std::vector<std::int64_t>{0, 0}, {1, 0, 1}}) {
    const TempDir directory;
    const std::int64_t total = rows == std::vector<std::int64_t>{0, 0} ? 0 : 2;
    test::write_index_shards(directory, {total, 3}, rows);
    EXPECT_EQ(load_everywhere<std::int32_t>(6, {directory.path().string()}, {}).size(), 1U);
  }
}

TEST(Load, P7AFileThatChangesBetweenOpenAndLoadIsReported) {
  const TempDir directory;
  test::write_index_shards(directory, {20, 3}, {12, 8});
  const Dataset dataset = open({directory.path().string()});
  test::write_index_shard(directory.file("shard_0001.npy"), {20, 3}, 0, 8, {});
  try {
    load(dataset, {});
    FAIL() << "stale bytes were loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::changed);
    EXPECT_NE(std::string(error.what()).find("shard_0001.npy"), std::string::npos);
  }
}

}  // namespace
}  // namespace loadstone
