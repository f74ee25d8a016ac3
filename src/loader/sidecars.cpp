#include "loader/sidecars.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/file_table.hpp"
#include "loader/glob.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace loadstone::loader {
namespace {

std::string sidecar_path(const std::string& directory, const OpenOptions& options) {
  if (!options.sidecar.empty()) return options.sidecar;
  for (const std::string_view name : kSidecarNames) {
    std::string path = join_path(directory, name);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

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

std::optional<DType> with_order(std::optional<DType> dtype, std::string_view byteorder) {
  if (!dtype || dtype->byte_order == ByteOrder::none) return dtype;
  if (byteorder == "little") dtype->byte_order = ByteOrder::little;
  if (byteorder == "big") dtype->byte_order = ByteOrder::big;
  return dtype;
}

void refuse_argument(Found& found, std::string item, std::string message, std::string remedy) {
  Fault fault = make_fault("argument", std::move(message), std::move(remedy));
  fault.item = std::move(item);
  found.faults.push_back(std::move(fault));
}

void check_arguments(Found& found, const OpenOptions& options) {
  if (!options.raw_dtype.empty() && !parse_dtype(options.raw_dtype)) {
    refuse_argument(found, "dtype", fmt::format("{} is no element type", escape(options.raw_dtype)),
                    fmt::format("Set {}, for example.", named(Option::dtype, "float32")));
  }
  if (!options.byteorder.empty() && options.byteorder != "little" && options.byteorder != "big") {
    refuse_argument(found, "byteorder", fmt::format("{} is no byte order", escape(options.byteorder)),
                    fmt::format("Set {} or {}.", named(Option::byteorder, "little"), named(Option::byteorder, "big")));
  }
  if (options.header_bytes.value_or(0) < 0) {
    refuse_argument(found, "header_bytes", "a header of fewer than 0 bytes was stated",
                    fmt::format("Set {} to 0 or more.", named(Option::header_bytes)));
  }
  if (options.trailing_shape && std::ranges::any_of(*options.trailing_shape, [](auto n) { return n < 0; })) {
    refuse_argument(found, "trailing_shape", "an extent of the trailing shape is negative",
                    fmt::format("Set {} to extents of 0 or more.", named(Option::trailing_shape)));
  }
}

/// What lies beside raw shards and describes them, and whose word counts where an argument says otherwise.
struct Beside {
  std::string path;
  std::string kind;    ///< of the warning
  std::string counts;  ///< "argument" or "manifest"
  std::string remedy;
};

Beside beside_sidecar(const std::string& path) {
  return {path, "sidecar.overridden", "argument", "correct the sidecar"};
}

Beside beside_manifest(const std::string& path) {
  return {path, "argument.overridden", "manifest", "record the directory anew: " + named(Option::record, "DIR")};
}

void tell_difference(Found& found, const Beside& beside, Option option, std::string_view item,
                     const std::string& stated, const std::string& given) {
  if (stated == given) return;
  Fault warning = make_fault(beside.kind,
                             fmt::format("the {} says {} {}, the argument {}: the {} counts", found.set_by, item,
                                         stated, given, beside.counts),
                             fmt::format("Leave {} out, or {}.", named(option), beside.remedy));
  warning.path = beside.path;
  warning.item = item;
  warning.wanted = stated;
  warning.got = given;
  warning.set_by = found.set_by;
  found.warnings.push_back(std::move(warning));
}

std::string offset_text(const Stated& stated) { return fmt::format("{}", stated.offset.value_or(0)); }

void compare_header_bytes(Found& found, const Beside& beside, std::int64_t given) {
  const std::string text = fmt::format("{}", given);
  const auto differs = [&](const Stated& stated) { return offset_text(stated) != text; };
  const auto first = std::ranges::find_if(found.stated, differs);
  if (first != found.stated.end()) {
    tell_difference(found, beside, Option::header_bytes, "header bytes", offset_text(*first), text);
  }
}

/// Of what is stated and given, what differs.
void compare_with_arguments(Found& found, const Beside& beside, const std::optional<DType>& dtype,
                            const OpenOptions& options) {
  if (found.set_by.empty()) return;
  if (found.dtype && dtype) tell_difference(found, beside, Option::dtype, "dtype", found.dtype->str(), dtype->str());
  const std::optional<DType>& type = dtype ? dtype : found.dtype;
  if (type && with_order(type, options.byteorder) != type) {
    tell_difference(found, beside, Option::byteorder, "type", type->str(), options.byteorder);
  }
  if (found.trailing_shape && options.trailing_shape) {
    tell_difference(found, beside, Option::trailing_shape, "trailing shape", shape_text(*found.trailing_shape),
                    shape_text(*options.trailing_shape));
  }
  if (!options.header_bytes) return;
  // Ranges begin where they are stated to begin; a header of all files cannot move them.
  Beside stays = beside;
  if (found.ranges) stays.counts = found.set_by;
  compare_header_bytes(found, stays, *options.header_bytes);
}

std::optional<DType> stated_dtype(const OpenOptions& options) {
  return options.raw_dtype.empty() ? std::nullopt : parse_dtype(options.raw_dtype);
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

void take_sidecar(Found& found, const std::string& path, Result<formats::Sidecar> sidecar, bool raw, Counts counts,
                  const ExpandContext& context) {
  if (sidecar.ok()) {
    for (Fault& warning : sidecar->warnings) warning.path = path;
    return apply_sidecar(std::move(*sidecar), directory_of(path), counts, found);
  }
  std::vector<Fault>& target = raw || !context.options.sidecar.empty() ? found.faults : found.warnings;
  add_faults(target, std::move(sidecar).status().take().faults, path);
  if (!raw) return;
  found.files.clear();
  found.file_of_shards.clear();
}

}  // namespace

std::string add_sidecar(Found& found, const std::string& directory, bool raw, Counts counts,
                        const ExpandContext& context) {
  std::string path = sidecar_path(directory, context.options);
  if (path.empty()) return path;
  const auto needs = raw ? needs_beside(context.options) : formats::SidecarNeeds::nothing();
  take_sidecar(found, path, read_sidecar(path, needs, context), raw, counts, context);
  return path;
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
  take_sidecar(found, path, std::move(sidecar), true, Counts::bind, context);
  add_arguments(found, context.options, path);
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
      if (sidecar.header_bytes > 0) stated.offset = sidecar.header_bytes;
      stated.order = sidecar.order;
    }
    take_rows(sidecar, counts, found);
  }
  if (counts == Counts::bind) bind_counts(sidecar, found);
}

void add_arguments(Found& found, const OpenOptions& options, const std::string& sidecar_path) {
  check_arguments(found, options);
  found.allow_tail = options.allow_tail;
  std::optional<DType> dtype = stated_dtype(options);
  if (!dtype && !found.dtype) dtype = options.cast;
  compare_with_arguments(found, beside_sidecar(sidecar_path), dtype, options);
  if (dtype) found.dtype = dtype;
  found.dtype = with_order(found.dtype, options.byteorder);
  if (options.trailing_shape) found.trailing_shape = options.trailing_shape;
  if (found.set_by.empty() && (found.dtype || found.trailing_shape)) found.set_by = "argument";
  if (!options.header_bytes || found.ranges) return;
  if (found.stated.empty()) found.stated.assign(found.shards(), Stated{});
  for (Stated& stated : found.stated) stated.offset = options.header_bytes;
}

void compare_with_manifest(Found& found, const OpenOptions& options) {
  if (found.format != "raw") return;
  check_arguments(found, options);
  compare_with_arguments(found, beside_manifest(found.manifest_path), stated_dtype(options), options);
}

void describe_as_before(Found& found, const Found& before, const OpenOptions& options) {
  if (found.ranges || before.format != "raw" || !before.file_of_shards.empty()) return;
  const bool has_sidecar = found.set_by == "sidecar";
  if (!found.dtype) found.dtype = with_order(before.dtype, options.byteorder);
  if (!found.trailing_shape) found.trailing_shape = before.trailing_shape;
  if (has_sidecar) return;  // it tells where data begin, and in which order they are
  std::map<std::string, const Stated*> by_name;
  for (std::size_t i = 0; i < before.shards(); ++i) by_name.emplace(before.file_of(i).name, &before.stated[i]);
  if (found.stated.empty()) found.stated.assign(found.shards(), Stated{});
  for (std::size_t i = 0; i < found.shards(); ++i) {
    const auto old = by_name.find(found.file_of(i).name);
    const Stated* const as = old != by_name.end() ? old->second : by_name.empty() ? nullptr : by_name.begin()->second;
    if (as == nullptr) continue;
    if (!options.header_bytes) found.stated[i].offset = as->offset;
    found.stated[i].order = as->order;
  }
}

}  // namespace loadstone::loader
