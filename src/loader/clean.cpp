// clean: removes what a manifest names, and nothing else (DS64).
#include <loadstone/load.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/option_words.hpp"
#include "core/status.hpp"
#include "io/directory.hpp"
#include "io/output_file.hpp"
#include "loader/manifest_file.hpp"

namespace loadstone {
namespace {

Fault no_manifest(const std::string& directory) {
  return {.code = Code::refused,
          .kind = "clean.no_manifest",
          .message = "there is no manifest, so nothing says which files are the dataset's",
          .remedy = "Record it first, " + named(Option::record, directory) + ", or remove the files yourself",
          .path = directory};
}

struct Sorted {
  std::vector<std::string> removable;  ///< names, in the order in which they go: shards, temporaries, the manifest last
  std::vector<std::pair<std::string, std::string>> kept;
};

Sorted sort_out(const std::string& directory, const formats::Manifest& manifest,
                const std::vector<io::DirectoryEntry>& entries) {
  loader::Removable shards = loader::removable_shards(directory, manifest);
  Sorted sorted{std::move(shards.names), {}};
  std::set<std::string> named(sorted.removable.begin(), sorted.removable.end());
  for (auto& [name, why] : shards.kept) {
    named.insert(name);
    if (why != "it is not there") sorted.kept.emplace_back(name, std::move(why));
  }
  for (const io::DirectoryEntry& entry : entries) {
    if (entry.name == formats::kManifestName || named.contains(entry.name)) continue;
    if (entry.regular && entry.name.starts_with(io::kTemporaryPrefix)) {
      sorted.removable.push_back(entry.name);
    } else {
      sorted.kept.emplace_back(entry.name, "the manifest does not name it");
    }
  }
  sorted.removable.emplace_back(formats::kManifestName);
  return sorted;
}

}  // namespace

CleanReport clean(const std::string& directory, bool yes) {
  const io::Opener opener;
  const auto entries = value_or_throw(io::list_directory(directory));
  const auto manifest = value_or_throw(loader::read_manifest(directory, opener));
  if (!manifest) throw_if_failed(no_manifest(directory));
  const Sorted sorted = sort_out(directory, *manifest, entries);
  const auto full = [&](const std::string& name) { return (std::filesystem::path(directory) / name).string(); };
  CleanReport report;
  for (const auto& [name, why] : sorted.kept) report.kept.emplace_back(full(name), why);
  for (const std::string& name : sorted.removable) {
    if (yes) throw_if_failed(io::remove_file(full(name)));
    report.removed.push_back(full(name));
  }
  if (yes) {
    if (io::remove_directory_if_empty(directory)) report.removed.push_back(directory);
  } else if (report.kept.empty()) {
    report.removed.push_back(directory);
  }
  return report;
}

}  // namespace loadstone
