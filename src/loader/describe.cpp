#include "loader/describe.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "loader/extensions.hpp"
#include "loader/glob.hpp"
#include "loader/names.hpp"
#include "loader/raw_layout.hpp"
#include "loader/report.hpp"
#include "loader/sidecars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace loadstone::loader {
namespace {

namespace fs = std::filesystem;

std::string pattern_of(const formats::Manifest& manifest) {
  std::vector<std::string> names;
  names.reserve(manifest.shards.size());
  for (const formats::ManifestShard& shard : manifest.shards) names.push_back(shard.name);
  return order_list(names, Order::given).pattern;
}

void take_shards(formats::Manifest& manifest, const std::string& root, Found& found) {
  found.files.reserve(manifest.shards.size());
  found.stated.reserve(manifest.shards.size());
  for (formats::ManifestShard& shard : manifest.shards) {
    found.files.push_back({root, std::move(shard.name)});
    Stated stated;
    stated.rows = shard.rows;
    stated.bytes = shard.bytes;
    stated.offset = shard.data_offset;
    stated.order = shard.order;
    stated.xxh3_128 = std::move(shard.xxh3_128);
    stated.crc32c = std::move(shard.crc32c);
    found.stated.push_back(std::move(stated));
  }
}

/// One warning for all data files beside the manifest that it does not name.
void warn_unlisted(Found& found, const std::string& root, const OpenOptions& options) {
  std::vector<std::string> names;
  int error = 0;
  if (!list_directory(root, names, error)) return;
  std::set<std::string> listed;
  for (const io::FileName& file : found.files) listed.insert(fs::path(file.name).lexically_normal().string());
  std::erase_if(names, [&](const std::string& name) {
    const bool ignored = std::ranges::any_of(options.ignore, [&](const auto& glob) { return glob_match(glob, name); });
    return ignored || listed.contains(name) || is_description(name) || !is_data(name);
  });
  if (names.empty()) return;
  Fault fault = make_fault(
      "complete.unlisted",
      fmt::format("the manifest does not name {}: {}", counted(static_cast<std::int64_t>(names.size()), "file"),
                  escape(joined(std::span(names).first(std::min<std::size_t>(names.size(), 5))))),
      "It is not loaded; remove it, or record it: " + named(Option::record, "DIR") + ".");
  fault.path = join_path(root, names.front());
  found.warnings.push_back(std::move(fault));
}

}  // namespace

Found from_manifest(const std::string& path, const ExpandContext& context) {
  Found found;
  Result<std::vector<std::byte>> bytes = io::read_whole(context.opener, {"", path}, context.limits.max_manifest_bytes);
  if (!bytes.ok()) {
    add_faults(found.faults, std::move(bytes).status().take().faults, path);
    return found;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  Result<formats::Manifest> manifest = formats::parse_manifest(text, context.limits);
  if (!manifest.ok()) {
    add_faults(found.faults, std::move(manifest).status().take().faults, path);
    return found;
  }
  const std::string root = directory_of(path);
  add_faults(found.warnings, std::move(manifest->warnings), path);
  found.pattern = pattern_of(*manifest);
  take_shards(*manifest, root, found);
  found.format = context.options.format.empty() ? manifest->format : context.options.format;
  found.dtype = manifest->dtype;
  found.trailing_shape = manifest->trailing_shape;
  found.set_by = "manifest";
  found.named_by_data = true;
  found.proof = Proof::manifest;
  found.directory = root;
  found.manifest_path = path;
  found.generation = manifest->generation;
  warn_unlisted(found, root, context.options);
  compare_with_manifest(found, context.options);
  return found;
}

Found order_of_manifest(const std::string& path, const ExpandContext& context) {
  Found found = from_manifest(path, context);
  const bool raw = found.format == "raw";
  const bool parts = has_parts_of_files(found);
  found.set_by.clear();
  found.manifest_path.clear();
  found.proof = Proof::none;
  found.warnings.clear();
  for (Stated& stated : found.stated) {
    const auto offset = raw ? stated.offset : std::nullopt;
    const auto rows = parts ? stated.rows : std::nullopt;
    stated = Stated{rows, std::nullopt, offset, stated.order, {}, {}};
  }
  found.ranges = parts;
  if (!raw) found.dtype.reset();
  if (!raw) found.trailing_shape.reset();
  return found;
}

bool looks_raw(std::string_view name, const OpenOptions& options) {
  if (!options.format.empty()) return options.format == "raw";
  const bool described = options.trailing_shape.has_value() && (!options.raw_dtype.empty() || options.cast.has_value());
  return is_raw_data(name) || (described && !is_other_data(name));
}

void add_description(Found& found, const std::string& directory, Counts counts, const ExpandContext& context) {
  found.format = context.options.format;
  if (found.files.empty()) return;
  const bool raw = looks_raw(found.files.front().name, context.options);
  const bool beside = !directory.empty() && (raw || counts == Counts::bind);
  SidecarWords sidecar;
  if (!context.options.sidecar.empty() || beside) sidecar = add_sidecar(found, directory, raw, counts, context);
  if (raw) add_arguments(found, context.options, sidecar);
}

}  // namespace loadstone::loader
