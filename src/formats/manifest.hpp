// The manifest: loadstone-manifest.json, which files are shards, their order, rows, bytes and hashes. Pure.
#pragma once

#include "core/limits.hpp"
#include "core/status.hpp"

#include <loadstone/dataset.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::formats {

inline constexpr std::string_view kManifestName = "loadstone-manifest.json";

struct ManifestShard {
  std::string name;  ///< not yet checked against the root rules beyond its form (DS25)
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  std::string xxh3_128;  ///< 32 hexadecimal digits
  std::optional<std::int64_t> data_offset;
  std::string crc32c;  ///< 8 hexadecimal digits, or empty
  StorageOrder order = StorageOrder::c;
};

struct Manifest {
  std::int64_t generation = 1;
  std::string format;
  DType dtype;
  Shape trailing_shape;
  std::int64_t stack_axis = 0;
  std::vector<ManifestShard> shards;
  StorageOrder order = StorageOrder::c;
  std::vector<Fault> warnings;  ///< unknown keys: kind manifest.unknown_key
};

/// Rules DS24 to DS27. Faults: manifest.syntax, manifest.version (code malformed), paths.outside_root for names (all of
/// them, with `shard`); the path is filled in by the caller.
Result<Manifest> parse_manifest(std::string_view text, const Limits& limits);
/// The bytes of the file: same manifest, same bytes.
std::string write_manifest(const Manifest& manifest);

/// "shard_0001.npy" -> "shard_0001.g3.npy" for generation 3; generation 1 keeps the plain name.
std::string generation_name(std::string_view plain, std::int64_t generation);

/// The sidecar of raw shards, or the recipe's _meta.json beside npy shards (DS22, DS37).
struct SidecarRange {
  std::int64_t path = 0;  ///< index into Sidecar::range_paths
  std::int64_t offset = 0;
  std::int64_t rows = 0;
};
struct Sidecar {
  std::optional<DType> dtype;
  std::optional<Shape> trailing_shape;
  std::optional<std::int64_t> num_shards;
  std::optional<std::vector<std::int64_t>> rows_list;              ///< a list in order
  std::vector<std::pair<std::string, std::int64_t>> rows_by_name;  ///< a map by name
  std::optional<std::int64_t> rows_each;                           ///< one number for all
  std::optional<std::int64_t> header_bytes;
  std::optional<ByteOrder> byteorder;  ///< by itself or within dtype
  StorageOrder order = StorageOrder::c;
  std::vector<std::string> range_paths;  ///< each once, in the order of their first ranges
  std::vector<SidecarRange> ranges;
  bool has_ranges = false;
  std::vector<Fault> warnings;  ///< kind sidecar.unknown_key
};
/// What a sidecar must state because nobody else does.
struct SidecarNeeds {
  bool dtype = true;
  bool byteorder = true;  ///< of a dtype that is given by a name such as float32
  bool trailing_shape = true;

  static constexpr SidecarNeeds nothing() { return {false, false, false}; }
};
/// Faults: sidecar.syntax (malformed) with the key in `item`; paths.outside_root for range paths that leave.
Result<Sidecar> parse_sidecar(std::string_view text, const SidecarNeeds& needs, const Limits& limits);

/// Empty if `name` is one relative path: no "..", no leading "/", no NUL, not empty, at most max_name_bytes.
std::optional<std::string> why_not_a_name(std::string_view name, const Limits& limits);

}  // namespace loadstone::formats
