// Ranks on several nodes that do not see the same files (DS42).
#include "loader/listing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "loader/discover.hpp"
#include "loader/discover_support.hpp"
#include "loader/paths.hpp"

namespace loadstone::loader {
namespace {

/// What one rank came to.
struct Seen {
  bool ok = false;
  std::string text;
  Failure failure;
};

using Look = std::function<Found(const Paths&, const ExpandContext&)>;

class ListingTest : public testing::Test {
 protected:
  ListingTest() { folder_.write_good(9); }

  /// Discovers on ranks 0 and 1 of node "a" and ranks 2 and 3 of node "b", where rank 2 looks with `look`.
  [[nodiscard]] std::vector<Seen> discover_with(const Look& look) const {
    std::vector<Seen> seen(4);
    run_threads(4, [&](const CommPtr& comm) {
      const auto rank = static_cast<std::size_t>(comm->rank());
      const View view{comm->rank() < 2 ? "a" : "b", [&](const Paths& paths, const ExpandContext& context) {
                        EXPECT_EQ(comm->rank(), 2) << "one rank of a node compares, none of the node of rank 0";
                        return look(paths, context);
                      }};
      comm::Agreement agreement(comm, Interrupt{});
      auto found = survey({folder_.path()}, {}, {}, agreement, Manifests::follow, &view);
      seen[rank].ok = found.ok();
      if (found.ok()) return;
      seen[rank].failure = found.status().failure();
      seen[rank].text = describe(seen[rank].failure);
    });
    return seen;
  }

  /// The failure that all ranks must have.
  [[nodiscard]] Failure failure_with(const Look& look) const {
    const std::vector<Seen> seen = discover_with(look);
    for (const Seen& rank : seen) {
      EXPECT_FALSE(rank.ok);
      EXPECT_EQ(rank.text, seen[0].text);
    }
    return seen[0].failure;
  }

  static Found really(const Paths& paths, const ExpandContext& context) { return own_view().look(paths, context); }

  test::Folder folder_;
};

TEST_F(ListingTest, DS42NodesThatSeeTheSameGoOn) {
  for (const Seen& rank : discover_with(really)) EXPECT_TRUE(rank.ok) << rank.text;
}

TEST_F(ListingTest, DS42AMissingShardIsNamedWithRankAndHost) {
  const Failure failure = failure_with([](const Paths& paths, const ExpandContext& context) {
    Found found = really(paths, context);
    found.files.pop_back();
    return found;
  });
  EXPECT_EQ(failure.first().kind, "ranks.differ");
  EXPECT_EQ(failure.code(), Code::mismatch);
  EXPECT_EQ(failure.rank, 2);
  EXPECT_NE(failure.first().message.find("rank 2 on b finds 8 shards"), std::string::npos) << failure.first().message;
  EXPECT_NE(failure.first().message.find("shard 8: rank 0 " + folder_.file(test::shard_name(8)) + ", here none"),
            std::string::npos)
      << failure.first().message;
}

TEST_F(ListingTest, DS42NoMoreThanFiveShardsAreNamed) {
  const Failure failure = failure_with([](const Paths& paths, const ExpandContext& context) {
    Found found = really(paths, context);
    for (io::FileName& file : found.files) file.name = "other_" + file.name;
    return found;
  });
  const std::string& message = failure.first().message;
  EXPECT_NE(message.find("; shard 4: "), std::string::npos) << message;
  EXPECT_EQ(message.find("; shard 5: "), std::string::npos) << message;
}

TEST_F(ListingTest, DS42WhatIsWrongOnlyThereIsSaid) {
  const Failure failure = failure_with([](const Paths&, const ExpandContext&) {
    Found found;
    found.faults.push_back({.code = Code::not_found, .kind = "path.missing", .message = "it is not there"});
    return found;
  });
  EXPECT_NE(failure.first().message.find("path.missing: it is not there"), std::string::npos);
}

TEST_F(ListingTest, T29MemoryRefusedWhileComparing) {
  EXPECT_EQ(failure_with([](const Paths&, const ExpandContext&) -> Found { throw std::bad_alloc(); }).code(),
            Code::out_of_memory);
}

TEST_F(ListingTest, DS24StatedNumbersAreCompared) {
  Found of_rank_0;
  of_rank_0.files = {{"d", "a.npy"}};
  of_rank_0.stated = {{}};
  of_rank_0.stated[0].rows = 3;
  Found here = of_rank_0;
  EXPECT_TRUE(compare_listings(of_rank_0, here, 1, "b").ok());
  here.stated[0].rows = 4;
  const Status status = compare_listings(of_rank_0, here, 1, "b");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.failure().first().message.find("rows 4"), std::string::npos);
}

}  // namespace
}  // namespace loadstone::loader
