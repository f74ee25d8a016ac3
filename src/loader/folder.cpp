#include "loader/folder.hpp"

#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "loader/absent.hpp"
#include "loader/extensions.hpp"
#include "loader/glob.hpp"
#include "loader/names.hpp"
#include "loader/near.hpp"
#include "loader/raw_layout.hpp"
#include "loader/report.hpp"
#include "loader/sidecars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace loadstone::loader {
namespace {

bool is_ignored(const std::string& name, const OpenOptions& options) {
  return std::ranges::any_of(options.ignore, [&](const auto& glob) { return glob_match(glob, base_name(name)); });
}

Found failed(Fault fault) {
  Found found;
  found.faults.push_back(std::move(fault));
  return found;
}

/// The directory that all names are in, relative to their root; empty text for the root itself, nothing if several.
std::optional<std::string> common_directory(const std::vector<std::string>& names) {
  const auto directory = [](const std::string& name) { return name.substr(0, name.find_last_of('/') + 1); };
  const std::string first = directory(names.front());
  for (const std::string& name : names) {
    if (directory(name) != first) return std::nullopt;
  }
  return first.empty() ? first : first.substr(0, first.size() - 1);
}

/// Faults about names get the path of that name; faults about all of them what was typed.
void take_faults(NameOrder& told, const std::string& folder, const std::string& typed, Found& found) {
  const auto place = [&](std::vector<Fault>& from, std::vector<Fault>& to) {
    for (Fault& fault : from) {
      fault.path = fault.path.empty() ? typed : join_path(folder, fault.path);
      to.push_back(std::move(fault));
    }
  };
  place(told.faults, found.faults);
  place(told.warnings, found.warnings);
}

/// The files of a directory or glob, in the order that their names tell.
Found ordered(const std::string& root, std::vector<std::string> names, const std::string& typed,
              const ExpandContext& context) {
  const std::optional<std::string> below = common_directory(names);
  std::vector<std::string> labels = names;
  if (below) std::ranges::transform(names, labels.begin(), [](const auto& name) { return base_name(name); });
  const OpenOptions& options = context.options;
  NameOrder told = order_names(labels, {options.order, options.first_index, options.any_first_index});
  Found found;
  const std::string folder = below ? (below->empty() ? root : join_path(root, *below)) : root;
  take_faults(told, folder, typed, found);
  for (const std::size_t at : told.order) found.files.push_back({root, std::move(names[at])});
  found.single = names.size() == 1;
  found.pattern = std::move(told.pattern);
  found.directory = below ? folder : "";
  found.proof = told.stated_count ? Proof::counts : told.settled ? Proof::names : Proof::none;
  add_description(found, found.directory, Counts::bind, context);
  return found;
}

std::string without_trailing_slashes(const std::string& directory) {
  const std::size_t last = directory.find_last_not_of('/');
  return last == std::string::npos ? "/" : directory.substr(0, last + 1);
}

/// Of the names in a directory those of data files.
std::vector<std::string> data_among(std::vector<std::string> names, const OpenOptions& options) {
  std::erase_if(names, [&](const std::string& name) {
    return is_description(name) || is_ignored(name, options) || !is_data(name, options.format);
  });
  return names;
}

/// A directory without regard to a manifest.
Found by_names(const std::string& root, const std::string& typed, const ExpandContext& context) {
  if (std::optional<Found> ranges = from_ranges(root, context)) return std::move(*ranges);
  std::vector<std::string> names;
  int error = 0;
  if (!list_directory(root, names, error)) return failed(cannot_list(root, error));
  std::vector<std::string> data = data_among(names, context.options);
  if (data.empty()) {
    // A sidecar may name ranges of files that stand below, or (refused by its own rule) elsewhere.
    Found found;
    found.directory = root;
    add_sidecar(found, root, true, Counts::bind, context);
    if (found.ranges || !found.faults.empty()) return found;
    return failed(nothing_matched(typed, root, "", names));
  }
  return ordered(root, std::move(data), typed, context);
}

Fault double_star(const std::string& pattern) {
  Fault fault = make_fault("argument", "** (folders at any depth) is not supported in a glob",
                           "Write one * for each folder, or list the files: @names.txt.");
  fault.path = pattern;
  fault.item = "paths";
  return fault;
}

/// Whether the data files of a directory are just those of a dataset.
bool holds_just(const std::string& root, const Found& recorded, const OpenOptions& options) {
  std::vector<std::string> names;
  int error = 0;
  if (!list_directory(root, names, error)) return false;
  names = data_among(std::move(names), options);
  std::set<std::string> stated;
  for (const io::FileName& file : recorded.files) stated.insert(file.name);
  return std::set<std::string>(names.begin(), names.end()) == stated;
}

Fault parts_came_or_went(const std::string& manifest) {
  Fault fault =
      make_fault("manifest.parts",
                 "it names parts of raw files, nothing else does, and files came or went: which parts of which "
                 "files are to be recorded is not known",
                 "Write them into shard_meta.json, or remove the manifest to record whole files.");
  fault.path = manifest;
  return fault;
}

/// A directory whose manifest is about to be replaced. What nothing else tells it tells once more: an order that names
/// do not show, what raw bytes are, and which parts of raw files are meant.
Found renewed(const std::string& root, const std::string& directory, const std::string& manifest,
              const ExpandContext& context) {
  const Found before = from_manifest(manifest, context);
  Found found = by_names(root, directory, context);
  found.generation = before.generation;
  if (before.generation == 0) return found;
  const bool still_raw = found.files.empty() || looks_raw(found.files.front().name, context.options);
  const bool raw = before.format == "raw" && still_raw;
  const bool parts = raw && has_parts_of_files(before) && sidecar_path(root, context.options).empty();
  if (raw && !parts) describe_as_before(found, before, context.options);
  if (found.faults.empty() && !parts) return found;
  if (!holds_just(root, before, context.options)) return parts ? failed(parts_came_or_went(manifest)) : found;
  Found stated = order_of_manifest(manifest, context);
  if (raw) add_arguments(stated, context.options, {});
  return stated;
}

}  // namespace

Found from_directory(const std::string& directory, const ExpandContext& context) {
  const std::string root = without_trailing_slashes(directory);
  const std::string manifest = join_path(root, formats::kManifestName);
  std::error_code ignored;
  if (!std::filesystem::exists(manifest, ignored)) return by_names(root, directory, context);
  if (!context.renew_manifest) return from_manifest(manifest, context);
  return renewed(root, directory, manifest, context);
}

Found from_glob(const std::string& pattern, const ExpandContext& context) {
  if (("/" + pattern + "/").find("/**/") != std::string::npos) return failed(double_star(pattern));
  GlobMatches matches = expand_glob(pattern);
  if (matches.denied_errno != 0) return failed(cannot_list(matches.searched, matches.denied_errno));
  std::erase_if(matches.names, [&](const std::string& name) {
    return is_description(base_name(name)) || is_ignored(name, context.options);
  });
  if (!matches.names.empty()) return ordered(matches.root, std::move(matches.names), pattern, context);
  std::vector<std::string> there;
  int unused = 0;
  const std::string searched = matches.searched.empty() ? matches.root : matches.searched;
  list_directory(searched, there, unused);
  return failed(nothing_matched(pattern, searched, matches.component, there));
}

Fault nothing_matched(const std::string& typed, const std::string& searched, const std::string& wanted,
                      const std::vector<std::string>& there) {
  constexpr std::size_t kNear = 5;
  std::string message = wanted.empty() ? "no data file is here"
                                       : fmt::format("{} matches nothing in {}", escape(wanted), escape(searched));
  if (there.empty()) {
    message += "; the directory is empty or does not exist";
  } else {
    message += fmt::format("; there are {}", extension_counts(there));
    const std::vector<std::string> near = near_misses(literal_prefix(wanted), there, kNear);
    message += fmt::format("; nearest: {}", escape(joined(near)));
  }
  Fault fault =
      make_fault("paths.empty", std::move(message), "Correct the path, or give a glob that names the shards.");
  fault.path = typed;
  return fault;
}

}  // namespace loadstone::loader
