// A dataset: all shards as one logical array, as found by `open`.
#pragma once

#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>
#include <loadstone/error.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace loadstone {

/// What tells one state of a file from another. Device numbers are compared only within one host.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t header_hash = 0;  ///< xxh3-64 of the bytes before the payload
  bool operator==(const FileIdentity&) const = default;
};

/// Memory order of the stored elements.
enum class StorageOrder : std::uint8_t { c, f };

/// A file that shards lie in: one, or many as ranges of it.
struct DataFile {
  std::string path;  ///< as it can be opened from here
  std::string root;  ///< directory that `name` is confined to; empty if the caller typed the path
  std::string name;  ///< relative to root
  FileIdentity identity;
};

/// One input file (or a range of it) that holds one box of the global array.
struct Shard {
  std::int64_t file = 0;         ///< index into Dataset::files
  std::int64_t rows = 0;         ///< extent along the stack axis (1 for 0-d)
  std::int64_t data_offset = 0;  ///< first byte of the payload
  std::int64_t nbytes = 0;       ///< of the payload
  StorageOrder order = StorageOrder::c;
  DType dtype;  ///< as stored
};

/// What shows that the dataset is complete.
enum class Proof : std::uint8_t { none, names, counts, manifest };
std::string_view to_string(Proof proof) noexcept;

struct Dataset {
  Dataset() = default;  // no aggregate: load({"a.npy"}) means paths

  std::string format;                   ///< driver: "npy", "raw"
  std::string pattern;                  ///< "shard_{:04}.npy"; the name itself for a single file
  std::vector<DataFile> files;          ///< each once, in the order of their first shards
  std::vector<Shard> shards;            ///< in order along the stack axis
  Shape shape;                          ///< of the whole array; () for a single 0-d shard
  DType dtype;                          ///< native; of the reference
  std::vector<std::int64_t> row_index;  ///< prefix sums, length shards + 1
  Proof proof = Proof::none;
  std::string digest;  ///< xxh3-128 over all of it, 32 hexadecimal digits
  std::vector<Fault> warnings;
  std::string manifest_path;                 ///< empty if none
  std::vector<std::string> manifest_crc32c;  ///< payload sums a shard, empty texts where unknown; empty if no manifest
  std::vector<std::string> manifest_hashes;  ///< xxh3-128 of the whole file a shard; empty if no manifest
  std::int64_t manifest_generation = 0;

  /// The file of one of its shards.
  [[nodiscard]] const DataFile& file_of(const Shard& shard) const {
    return files[static_cast<std::size_t>(shard.file)];
  }
  [[nodiscard]] std::int64_t ndim() const { return static_cast<std::int64_t>(shape.size()); }
  [[nodiscard]] std::int64_t rows() const { return row_index.empty() ? 0 : row_index.back(); }
};

}  // namespace loadstone
