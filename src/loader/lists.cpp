#include "loader/lists.hpp"

#include "loader/glob.hpp"
#include "loader/names.hpp"
#include "loader/report.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>

namespace loadstone::loader {
namespace {

/// The directory of all files; empty if there are several.
std::string common_directory(const std::vector<std::string>& files) {
  if (files.empty()) return {};
  const std::string first = directory_of(files.front());
  const bool one = std::ranges::all_of(files, [&](const std::string& file) { return directory_of(file) == first; });
  return one ? first : "";
}

/// Removes the shards at these positions (ascending).
void remove_at(Found& found, const std::vector<std::size_t>& positions) {
  for (auto at = positions.rbegin(); at != positions.rend(); ++at) {
    found.files.erase(found.files.begin() + static_cast<std::ptrdiff_t>(*at));
    if (!found.stated.empty()) found.stated.erase(found.stated.begin() + static_cast<std::ptrdiff_t>(*at));
  }
}

/// Shards of one file by where they start; those of which that is not stated come first.
using Starts = std::map<std::optional<std::int64_t>, std::size_t>;

/// A shard that this one repeats: ranges that start at stated, different bytes are distinct (DS39).
Starts::const_iterator repeated(const Starts& starts, const std::optional<std::int64_t>& start) {
  const bool unstated = !start || (!starts.empty() && !starts.begin()->first);
  return unstated ? starts.begin() : starts.find(start);
}

/// Puts listed files into the order that was asked for, with what their names tell.
void order_files(std::vector<std::string>& files, const std::string& directory, Order order, Found& found) {
  std::vector<std::string> labels = files;
  if (!directory.empty()) std::ranges::transform(files, labels.begin(), [](const auto& f) { return base_name(f); });
  NameOrder told = order_list(labels, order);
  add_faults(found.faults, std::move(told.faults), directory);
  for (Fault& warning : told.warnings) {
    if (!warning.path.empty() && !directory.empty()) warning.path = join_path(directory, warning.path);
  }
  add_faults(found.warnings, std::move(told.warnings), directory);
  std::vector<io::FileName> ordered;
  for (const std::size_t at : told.order) ordered.push_back({"", std::move(files[at])});
  found.files = std::move(ordered);
  found.pattern = std::move(told.pattern);
  found.proof = told.stated_count ? Proof::counts : told.settled ? Proof::names : Proof::none;
}

}  // namespace

Found from_list(const std::vector<std::string>& files, const ExpandContext& context) {
  Found found;
  for (const std::string& file : files) found.files.push_back({"", file});
  drop_duplicates(found);
  std::vector<std::string> names;
  for (io::FileName& file : found.files) names.push_back(std::move(file.name));
  const std::string directory = common_directory(names);
  order_files(names, directory, context.options.order, found);
  found.single = files.size() == 1;
  found.directory = directory;
  add_description(found, directory, Counts::ignore, context);
  return found;
}

void append(Found& found, Found more) {
  unshare_files(found);
  unshare_files(more);
  const bool first = found.files.empty() && found.set_by.empty();
  const bool stated = !found.stated.empty() || !more.stated.empty();
  if (stated) found.stated.resize(found.files.size());
  if (stated) more.stated.resize(more.files.size());
  if (first) {
    found.format = more.format;
    found.dtype = more.dtype;
    found.trailing_shape = more.trailing_shape;
    found.set_by = more.set_by;
    found.named_by_data = more.named_by_data;
    found.proof = more.proof;
  }
  if (found.format != more.format) found.format.clear();
  found.proof = std::min(found.proof, more.proof);
  found.ranges = found.ranges || more.ranges;
  found.allow_tail = found.allow_tail || more.allow_tail;
  std::ranges::move(more.files, std::back_inserter(found.files));
  std::ranges::move(more.stated, std::back_inserter(found.stated));
  std::ranges::move(more.faults, std::back_inserter(found.faults));
  std::ranges::move(more.warnings, std::back_inserter(found.warnings));
}

void drop_duplicates(Found& found) {
  if (found.ranges) return;
  std::map<std::pair<dev_t, ino_t>, Starts> seen;
  std::vector<std::size_t> duplicates;
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    struct stat status = {};
    if (::stat(found.files[i].path().c_str(), &status) != 0) continue;
    Starts& starts = seen[{status.st_dev, status.st_ino}];
    const auto start = found.stated.empty() ? std::nullopt : found.stated[i].offset;
    const auto same = repeated(starts, start);
    if (same == starts.end()) {
      starts.emplace(start, i);
      continue;
    }
    found.faults.push_back(same_file(found.files[same->second].path(), found.files[i].path()));
    duplicates.push_back(i);
  }
  remove_at(found, duplicates);
}

}  // namespace loadstone::loader
