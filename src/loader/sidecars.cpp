#include "loader/sidecars.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/file_table.hpp"
#include "loader/glob.hpp"
#include "loader/raw_layout.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace loadstone::loader {

std::string sidecar_path(const std::string& directory, const OpenOptions& options) {
  if (!options.sidecar.empty()) return options.sidecar;
  for (const std::string_view name : kSidecarNames) {
    std::string path = join_path(directory, name);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

namespace {

Result<formats::Sidecar> read_sidecar(const std::string& path, const formats::SidecarNeeds& needs,
                                      const ExpandContext& context) {
  Result<std::vector<std::byte>> bytes = io::read_whole(context.opener, {"", path}, context.limits.max_sidecar_bytes);
  if (!bytes.ok()) return std::move(bytes).status();
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return formats::parse_sidecar(text, needs, context.limits);
}

void state_count(Found& found, std::int64_t wanted) {
  Expectation expectation{wanted, "sidecar"};
  if (std::ranges::find(found.counts, expectation) == found.counts.end())
    found.counts.push_back(std::move(expectation));
}

/// Which of the paths that ranges name are loaded: of files that were listed, only those.
std::vector<bool> wanted_paths(const formats::Sidecar& sidecar, Counts counts, const Found& found) {
  if (counts == Counts::bind) return std::vector<bool>(sidecar.range_paths.size(), true);
  std::set<std::string> listed;
  for (const io::FileName& file : found.files) listed.insert(base_name(file.name));
  std::vector<bool> wanted;
  for (const std::string& path : sidecar.range_paths) wanted.push_back(listed.contains(base_name(path)));
  return wanted;
}

/// Shards that are ranges of files.
void take_ranges(const formats::Sidecar& sidecar, const std::string& root, Counts counts, Found& found) {
  const std::vector<bool> wanted = wanted_paths(sidecar, counts, found);
  found.stated.clear();
  FileTable files;
  for (const formats::SidecarRange& range : sidecar.ranges) {
    const auto path = static_cast<std::size_t>(range.path);
    if (!wanted[path]) continue;
    files.add(root, sidecar.range_paths[path]);
    Stated stated;
    stated.rows = range.rows;
    stated.offset = range.offset;
    stated.order = sidecar.order;
    found.stated.push_back(std::move(stated));
  }
  files.move_to(found);
  const auto about_names = [](const Fault& fault) { return fault.kind.starts_with("names."); };
  std::erase_if(found.faults, about_names);  // the sidecar tells the order
  std::erase_if(found.warnings, about_names);
  found.ranges = true;
  found.named_by_data = true;
  found.single = false;
}

Fault absent_from(const std::string& name, const Found& found) {
  Fault fault = make_fault("complete.missing", "the sidecar names this shard, but it is not there",
                           "Bring the file back, or correct the sidecar.");
  fault.path = join_path(found.directory, name);
  fault.set_by = "sidecar";
  return fault;
}

/// Rows from a map by name: a name without a file is a fault, a file without a name a warning.
void take_rows_by_name(const formats::Sidecar& sidecar, Counts counts, Found& found) {
  std::map<std::string, std::int64_t> rows(sidecar.rows_by_name.begin(), sidecar.rows_by_name.end());
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    const auto entry = rows.extract(base_name(found.files[i].name));
    if (!entry.empty()) {
      found.stated[i].rows = entry.mapped();
    } else if (counts == Counts::bind) {
      Fault fault = make_fault("complete.unlisted", "the sidecar does not name this shard",
                               "Add its rows to the sidecar, or move it away.");
      fault.path = found.files[i].path();
      found.warnings.push_back(std::move(fault));
    }
  }
  if (counts == Counts::ignore) return;
  for (const auto& [name, unused] : rows) found.faults.push_back(absent_from(name, found));
}

void take_rows(const formats::Sidecar& sidecar, Counts counts, Found& found) {
  if (sidecar.rows_list && sidecar.rows_list->size() == found.files.size()) {
    for (std::size_t i = 0; i < found.files.size(); ++i) found.stated[i].rows = (*sidecar.rows_list)[i];
  }
  if (!sidecar.rows_by_name.empty()) take_rows_by_name(sidecar, counts, found);
  if (sidecar.rows_each) {
    for (Stated& stated : found.stated) stated.rows = sidecar.rows_each;
  }
}

void bind_counts(const formats::Sidecar& sidecar, Found& found) {
  if (sidecar.num_shards) state_count(found, *sidecar.num_shards);
  if (sidecar.rows_list) state_count(found, static_cast<std::int64_t>(sidecar.rows_list->size()));
  if (!found.counts.empty() || !sidecar.rows_by_name.empty() || found.ranges) found.proof = Proof::counts;
}

/// What a sidecar of raw shards must say, because no argument does.
formats::SidecarNeeds needs_beside(const OpenOptions& options) {
  return {.dtype = options.raw_dtype.empty() && !options.cast,
          .byteorder = options.raw_dtype.empty() && options.byteorder.empty(),
          .trailing_shape = !options.trailing_shape};
}

/// A sidecar that cannot be used as it is may name ranges all the same: without their layout, or outside the root.
bool is_broken_list_of_ranges(const std::string& path, const ExpandContext& context) {
  const Result<formats::Sidecar> sidecar = read_sidecar(path, formats::SidecarNeeds::nothing(), context);
  return sidecar.ok() ? sidecar->has_ranges : sidecar.status().failure().first().kind == "paths.outside_root";
}

SidecarWords take_sidecar(Found& found, const std::string& path, Result<formats::Sidecar> sidecar, bool raw,
                          Counts counts, const ExpandContext& context) {
  SidecarWords words{path, {}, {}};
  if (sidecar.ok()) {
    words.byteorder = sidecar->byteorder;
    words.header_bytes = sidecar->header_bytes;
    for (Fault& warning : sidecar->warnings) warning.path = path;
    apply_sidecar(std::move(*sidecar), directory_of(path), counts, found);
    return words;
  }
  std::vector<Fault>& target = raw || !context.options.sidecar.empty() ? found.faults : found.warnings;
  add_faults(target, std::move(sidecar).status().take().faults, path);
  if (!raw) return words;
  found.files.clear();
  found.file_of_shards.clear();
  return words;
}

}  // namespace

SidecarWords add_sidecar(Found& found, const std::string& directory, bool raw, Counts counts,
                         const ExpandContext& context) {
  const std::string path = sidecar_path(directory, context.options);
  if (path.empty()) return {};
  const auto needs = raw ? needs_beside(context.options) : formats::SidecarNeeds::nothing();
  return take_sidecar(found, path, read_sidecar(path, needs, context), raw, counts, context);
}

std::optional<Found> from_ranges(const std::string& directory, const ExpandContext& context) {
  const std::string path = sidecar_path(directory, context.options);
  const bool raw = context.options.format.empty() || context.options.format == "raw";
  if (path.empty() || !raw) return std::nullopt;
  Result<formats::Sidecar> sidecar = read_sidecar(path, needs_beside(context.options), context);
  const bool names_ranges = sidecar.ok() ? sidecar->has_ranges : is_broken_list_of_ranges(path, context);
  if (!names_ranges) return std::nullopt;
  Found found;
  found.format = "raw";
  found.directory = directory;
  add_arguments(found, context.options, take_sidecar(found, path, std::move(sidecar), true, Counts::bind, context));
  return found;
}

void apply_sidecar(formats::Sidecar sidecar, const std::string& root, Counts counts, Found& found) {
  std::ranges::move(sidecar.warnings, std::back_inserter(found.warnings));
  found.dtype = sidecar.dtype;
  found.trailing_shape = sidecar.trailing_shape;
  found.set_by = "sidecar";
  if (sidecar.has_ranges) {
    take_ranges(sidecar, root, counts, found);
  } else {
    found.stated.assign(found.shards(), Stated{});
    for (Stated& stated : found.stated) {
      stated.offset = sidecar.header_bytes;
      stated.order = sidecar.order;
    }
    take_rows(sidecar, counts, found);
  }
  if (counts == Counts::bind) bind_counts(sidecar, found);
}

}  // namespace loadstone::loader
