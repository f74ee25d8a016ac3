#include "loader/manifest_changes.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <string>
#include <string_view>

namespace loadstone::loader {
namespace {

using ByName = std::map<std::string_view, const formats::ManifestShard*>;

ByName by_name(const formats::Manifest& manifest) {
  ByName shards;
  for (const formats::ManifestShard& shard : manifest.shards) shards.emplace(shard.name, &shard);
  return shards;
}

bool same_content(const formats::ManifestShard& a, const formats::ManifestShard& b) {
  return a.bytes == b.bytes && a.xxh3_128 == b.xxh3_128;
}

std::string description(const formats::Manifest& manifest) {
  return fmt::format("{} {}, rows of shape {}", manifest.format, manifest.dtype.str(),
                     shape_text(manifest.trailing_shape));
}

std::string description(const formats::ManifestShard& shard) {
  return fmt::format("{}: {} from byte {} on in {} order", escape(shard.name), counted(shard.rows, "row"),
                     shard.data_offset.value_or(0), shard.order == StorageOrder::c ? "C" : "Fortran");
}

/// The shards of files that another manifest holds with the same content, in order.
std::vector<std::string> unchanged_shards(const formats::Manifest& manifest, const ByName& others) {
  std::vector<std::string> shards;
  for (const formats::ManifestShard& shard : manifest.shards) {
    const auto other = others.find(shard.name);
    if (other != others.end() && same_content(shard, *other->second)) shards.push_back(description(shard));
  }
  return shards;
}

Fault redescribed(const std::string& what, const std::string& before, const std::string& after) {
  return {.code = Code::mismatch,
          .kind = "manifest.redescribed",
          .message =
              fmt::format("the manifest that is replaced describes {} as {}, the new one as {}", what, before, after),
          .remedy = "If nothing but the description changed, record the directory again with the right one",
          .wanted = before,
          .got = after,
          .set_by = "manifest"};
}

/// What the two say of the same bytes differently. Of shards the first that differs stands for all.
void compare_descriptions(const formats::Manifest& before, const formats::Manifest& after, ManifestChanges& changes) {
  if (description(before) != description(after)) {
    changes.warnings.push_back(redescribed("the shards", description(before), description(after)));
  }
  const std::vector<std::string> old_shards = unchanged_shards(before, by_name(after));
  const std::vector<std::string> new_shards = unchanged_shards(after, by_name(before));
  const std::size_t both = std::min(old_shards.size(), new_shards.size());
  const auto at = static_cast<std::size_t>(
      std::ranges::mismatch(old_shards | std::views::take(both), new_shards | std::views::take(both)).in1 -
      old_shards.begin());
  if (at < both) {
    changes.warnings.push_back(
        redescribed(fmt::format("place {} of unchanged files", at), old_shards[at], new_shards[at]));
  } else if (old_shards.size() != new_shards.size()) {
    changes.warnings.push_back(redescribed("unchanged files", counted(std::ssize(old_shards), "shard"),
                                           counted(std::ssize(new_shards), "shard")));
  }
}

}  // namespace

ManifestChanges changes_between(const std::optional<formats::Manifest>& before, const formats::Manifest& after) {
  ManifestChanges changes;
  if (!before) return changes;
  changes.generation = before->generation;
  compare_descriptions(*before, after, changes);
  const ByName old_shards = by_name(*before);
  const ByName new_shards = by_name(after);
  for (const auto& [name, shard] : new_shards) {
    const auto old = old_shards.find(name);
    if (old == old_shards.end()) {
      changes.added.emplace_back(name);
    } else if (!same_content(*old->second, *shard)) {
      changes.changed.emplace_back(name);
    }
  }
  for (const auto& [name, shard] : old_shards) {
    if (!new_shards.contains(name)) changes.dropped.emplace_back(name);
  }
  return changes;
}

ManifestChanges changes_between(Result<std::optional<formats::Manifest>> before, const formats::Manifest& after) {
  if (before.ok()) return changes_between(*before, after);
  ManifestChanges changes;
  changes.warnings = std::move(before).status().take().faults;
  for (Fault& fault : changes.warnings) {
    fault.message = "the manifest that is replaced cannot be read, so nothing is compared with it: " + fault.message;
    fault.remedy = "Remove it if nothing needs to be compared with it";
  }
  return changes;
}

}  // namespace loadstone::loader
