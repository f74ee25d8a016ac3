#include "loader/manifest_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <span>
#include <string_view>

#include "core/checked.hpp"
#include "core/limits.hpp"
#include "core/text.hpp"
#include "io/output_file.hpp"

namespace loadstone::loader {
namespace {

namespace fs = std::filesystem;

bool passes_through_a_link(const fs::path& directory, const fs::path& name) {
  fs::path at = directory;
  std::error_code error;
  for (const fs::path& component : name) {
    at /= component;
    if (fs::is_symlink(at, error)) return true;
  }
  return false;
}

/// Why a shard stays; empty if it may go.
std::string why_kept(const std::string& directory, const formats::ManifestShard& shard) {
  const fs::path path = fs::path(directory) / shard.name;
  std::error_code error;
  if (passes_through_a_link(directory, shard.name)) return "it is reached through a link";
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return "it is not there";
  if (!fs::is_regular_file(status)) return "it is not a regular file";
  const auto bytes = static_cast<std::int64_t>(fs::file_size(path, error));
  if (bytes == shard.bytes) return {};
  return fmt::format("it holds {} bytes, the manifest states {}", grouped(bytes), grouped(shard.bytes));
}

}  // namespace

Result<std::optional<formats::Manifest>> read_manifest(const std::string& directory, const io::Opener& opener) {
  const io::FileName file{directory, std::string(formats::kManifestName)};
  const Limits limits;
  auto bytes = io::read_whole(opener, file, limits.max_manifest_bytes);
  if (!bytes.ok()) {
    const Fault& fault = bytes.status().failure().first();
    if (fault.system_errno == ENOENT) return std::optional<formats::Manifest>();
    return std::move(bytes).status();
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  auto manifest = formats::parse_manifest(text, limits);
  if (!manifest.ok()) {
    Status status = std::move(manifest).status();
    for (Fault& fault : status.failure().faults) {
      if (fault.path.empty()) fault.path = file.path();
    }
    return status;
  }
  return std::optional<formats::Manifest>(std::move(manifest).value());
}

Result<std::int64_t> next_generation(std::int64_t generation) {
  if (const auto next = checked_add(generation, 1)) return *next;
  return Fault{.code = Code::bad_argument,
               .kind = "manifest.generation",
               .message = fmt::format("generation {} is the last that a manifest can have", grouped(generation)),
               .remedy = "Start anew: remove the manifest, and record the directory again",
               .got = generation};
}

Status replace_manifest(const std::string& directory, const formats::Manifest& manifest) {
  const std::string text = formats::write_manifest(manifest);
  auto file =
      io::OutputFile::create(directory, std::string(formats::kManifestName), static_cast<std::int64_t>(text.size()));
  if (!file.ok()) return std::move(file).status();
  if (Status status = file->append(std::as_bytes(std::span(text))); !status.ok()) return status;
  if (Status status = file->sync(); !status.ok()) return status;
  if (Status status = file->publish(true); !status.ok()) return status;
  return io::sync_directory(directory);
}

Removable removable_shards(const std::string& directory, const formats::Manifest& manifest) {
  Removable result;
  std::set<std::string_view> seen;  // several shards may be ranges of one file
  for (const formats::ManifestShard& shard : manifest.shards) {
    if (!seen.insert(shard.name).second) continue;
    std::string why = why_kept(directory, shard);
    if (why.empty()) {
      result.names.push_back(shard.name);
    } else {
      result.kept.emplace_back(shard.name, std::move(why));
    }
  }
  return result;
}

}  // namespace loadstone::loader
