// What describes shards beside their bytes: a manifest, a sidecar, arguments. Reads small files; opens no shard.
#pragma once

#include "core/limits.hpp"
#include "io/file.hpp"
#include "loader/found.hpp"

#include <loadstone/options.hpp>

#include <array>
#include <string>
#include <string_view>

namespace loadstone::loader {

inline constexpr std::array<std::string_view, 2> kSidecarNames = {"shard_meta.json", "_meta.json"};

/// What every form of path is expanded with.
struct ExpandContext {
  const OpenOptions& options;
  const io::Opener& opener;
  Limits limits;
  /// A manifest that is about to be replaced states nothing; it only tells the order that names do not tell.
  bool renew_manifest = false;
};

/// The dataset that a manifest file states (DS24). Its names are relative to its directory.
Found from_manifest(const std::string& path, const ExpandContext& context);

/// The same where the manifest is about to be replaced: files, order and generation, but nothing that is stated of
/// them, except what raw bytes are and which parts of their files are meant.
Found order_of_manifest(const std::string& path, const ExpandContext& context);

/// Whether a sidecar's counts bind: they do for a directory or glob, not for files that were listed.
enum class Counts : std::uint8_t { bind, ignore };

/// Adds to found files what the arguments and the sidecar in `directory` say of them (DS22, DS37).
/// @param directory  where all files are; empty if they are in several
void add_description(Found& found, const std::string& directory, Counts counts, const ExpandContext& context);

/// Whether shards are raw as far as names and arguments tell.
bool looks_raw(std::string_view name, const OpenOptions& options);

}  // namespace loadstone::loader
