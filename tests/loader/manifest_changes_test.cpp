#include "loader/manifest_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadstone::loader {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

formats::Manifest manifest(std::int64_t generation, const std::vector<std::pair<std::string, std::string>>& shards) {
  formats::Manifest made;
  made.generation = generation;
  for (const auto& [name, hash] : shards) made.shards.push_back({name, 1, 10, hash, {}, {}, StorageOrder::c});
  return made;
}

TEST(ManifestChanges, NameWhatChangedCameAndWent) {
  const auto before = manifest(3, {{"c", "1"}, {"b", "1"}, {"a", "1"}});
  const auto after = manifest(4, {{"d", "1"}, {"c", "1"}, {"b", "2"}});
  const ManifestChanges changes = changes_between(before, after);
  EXPECT_EQ(changes.generation, 3);
  EXPECT_THAT(changes.changed, ElementsAre("b"));
  EXPECT_THAT(changes.added, ElementsAre("d"));
  EXPECT_THAT(changes.dropped, ElementsAre("a"));
}

TEST(ManifestChanges, AnotherSizeIsAChange) {
  const auto before = manifest(1, {{"a", "1"}, {"b", "1"}});
  auto after = before;
  after.shards[1].bytes = 11;
  EXPECT_THAT(changes_between(before, after).changed, ElementsAre("b"));
}

TEST(ManifestChanges, AnotherDescriptionOfTheSameBytesIsAWarning) {
  auto before = manifest(1, {{"a", "1"}, {"b", "1"}});
  before.format = "raw";
  before.dtype = *parse_dtype("<f4");
  auto after = before;
  EXPECT_THAT(changes_between(before, after).warnings, IsEmpty());
  after.dtype = *parse_dtype("<i4");
  after.shards[1].data_offset = 4;
  const ManifestChanges changes = changes_between(before, after);
  EXPECT_THAT(changes.changed, IsEmpty());
  ASSERT_EQ(changes.warnings.size(), 2U);
  EXPECT_EQ(changes.warnings[0].kind, "manifest.redescribed");
  EXPECT_THAT(changes.warnings[1].message, testing::HasSubstr("place 1 of unchanged files as b: 1 row from byte 0"));
}

TEST(ManifestChanges, AnotherOrderAndOtherPartsOfTheSameFilesAreWarnings) {
  const auto before = manifest(1, {{"b", "1"}, {"a", "1"}, {"c", "1"}});
  auto after = manifest(2, {{"a", "1"}, {"b", "1"}, {"c", "2"}});
  ASSERT_EQ(changes_between(before, after).warnings.size(), 1U);
  EXPECT_THAT(changes_between(before, after).warnings[0].message,
              testing::HasSubstr("place 0 of unchanged files as b:"));
  after = before;
  after.shards[1].rows = 2;
  EXPECT_EQ(changes_between(before, after).warnings.size(), 1U);
  after = before;
  after.shards.push_back(after.shards.back());
  ASSERT_EQ(changes_between(before, after).warnings.size(), 1U);
  EXPECT_THAT(changes_between(before, after).warnings[0].message, testing::HasSubstr("as 3 shards, the new one as 4"));
}

TEST(ManifestChanges, NothingBeforeIsNothingChanged) {
  EXPECT_EQ(changes_between(std::optional<formats::Manifest>(), manifest(1, {{"a", "1"}})), ManifestChanges{});
}

TEST(ManifestChanges, OneThatCannotBeReadIsAWarning) {
  Result<std::optional<formats::Manifest>> broken =
      Fault{.kind = "manifest.syntax", .message = "no value", .path = "m"};
  const ManifestChanges changes = changes_between(std::move(broken), manifest(1, {{"a", "1"}}));
  EXPECT_EQ(changes.generation, 0);
  EXPECT_THAT(changes.added, IsEmpty());
  ASSERT_EQ(changes.warnings.size(), 1U);
  EXPECT_THAT(changes.warnings[0].message, testing::HasSubstr("cannot be read"));
  EXPECT_EQ(changes.warnings[0].path, "m");
}

}  // namespace
}  // namespace loadstone::loader
