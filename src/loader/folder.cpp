#include "loader/folder.hpp"

#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "loader/absent.hpp"
#include "loader/extensions.hpp"
#include "loader/glob.hpp"
#include "loader/names.hpp"
#include "loader/near.hpp"
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

/// A directory without regard to a manifest.
Found by_names(const std::string& root, const std::string& typed, const ExpandContext& context) {
  if (std::optional<Found> ranges = from_ranges(root, context)) return std::move(*ranges);
  std::vector<std::string> names;
  int error = 0;
  if (!list_directory(root, names, error)) return failed(cannot_list(root, error));
  std::vector<std::string> data = names;
  std::erase_if(data, [&](const std::string& name) {
    return is_description(name) || is_ignored(name, context.options) || !is_data(name, context.options.format);
  });
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

bool same_names(const Found& a, const Found& b) {
  const auto names = [](const Found& found) {
    std::set<std::string> all;
    for (const io::FileName& file : found.files) all.insert(file.name);
    return all;
  };
  return names(a) == names(b);
}

}  // namespace

Found from_directory(const std::string& directory, const ExpandContext& context) {
  const std::string root = without_trailing_slashes(directory);
  const std::string manifest = join_path(root, formats::kManifestName);
  std::error_code ignored;
  if (!std::filesystem::exists(manifest, ignored)) return by_names(root, directory, context);
  if (!context.renew_manifest) return from_manifest(manifest, context);
  Found found = by_names(root, directory, context);
  const Found before = from_manifest(manifest, context);
  found.generation = before.generation;
  if (before.generation == 0) return found;
  const bool raw = !found.files.empty() && looks_raw(found.files.front().name, context.options);
  if (raw) describe_as_before(found, before, context.options);
  // Names that do not tell an order, and ranges that nothing else tells: the old manifest does, if it knows no other
  // files than those.
  const bool is_told = found.faults.empty() && (!raw || (found.dtype && found.trailing_shape));
  if (is_told) return found;
  Found stated = order_of_manifest(manifest, context);
  return same_names(found, stated) ? std::move(stated) : std::move(found);
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
