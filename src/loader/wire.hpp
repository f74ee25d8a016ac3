// Values of discover and verify as bytes, to travel between ranks of one job (one build, one byte order).
#pragma once

#include "loader/found.hpp"
#include "loader/manifest_changes.hpp"
#include "loader/scan.hpp"

#include <loadstone/stats.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace loadstone::loader {

std::vector<std::byte> encode(const Found& found);
std::vector<std::byte> encode(const Scanned& scanned);
std::vector<std::byte> encode(const ManifestChanges& changes);
std::vector<std::byte> encode(const std::vector<FileStats>& files);

/// Empty if the bytes are not what encode made.
std::optional<Found> decode_found(std::span<const std::byte> bytes);
std::optional<Scanned> decode_scanned(std::span<const std::byte> bytes);
std::optional<ManifestChanges> decode_changes(std::span<const std::byte> bytes);
std::optional<std::vector<FileStats>> decode_file_stats(std::span<const std::byte> bytes);

}  // namespace loadstone::loader
