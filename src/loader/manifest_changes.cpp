#include "loader/manifest_changes.hpp"

#include <algorithm>
#include <map>
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

}  // namespace

ManifestChanges changes_between(const std::optional<formats::Manifest>& before, const formats::Manifest& after) {
  ManifestChanges changes;
  if (!before) return changes;
  changes.generation = before->generation;
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
    fault.remedy = {};
  }
  return changes;
}

}  // namespace loadstone::loader
