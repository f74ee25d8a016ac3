// What rank 0 found out without opening a shard: the files in order, and what manifest, sidecar and arguments state of
// them. A value that is broadcast, so that all ranks go on from the same.
#pragma once

#include "io/file.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>
#include <loadstone/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadstone::loader {

/// What is stated of one shard beside its bytes.
struct Stated {
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> bytes;     ///< of the whole file
  std::optional<std::int64_t> offset;    ///< where the payload starts; raw: 0 if it is not stated
  StorageOrder order = StorageOrder::c;  ///< raw
  std::string xxh3_128;
  std::string crc32c;

  bool operator==(const Stated&) const = default;
};

/// A number that must come out, and who says so.
struct Expectation {
  std::int64_t wanted = 0;
  std::string set_by;  ///< "argument", "sidecar", "names"

  bool operator==(const Expectation&) const = default;
};

struct Found {
  std::vector<io::FileName> files;           ///< each once, in the order of their first shards along the stack axis
  std::vector<std::int64_t> file_of_shards;  ///< index into files of each shard; empty: each file is one shard
  std::vector<Stated> stated;                ///< one a shard, or empty if nothing is stated
  std::string format;                        ///< driver; empty: the first bytes of each file decide
  std::optional<DType> dtype;                ///< of the reference, if stated; for raw shards, of the file
  std::optional<Shape> trailing_shape;
  std::string set_by;          ///< who stated the reference: "manifest", "sidecar", "argument"; empty: the majority
  bool named_by_data = false;  ///< a manifest or sidecar names the files: one that is absent is complete.missing
  bool ranges = false;         ///< shards are ranges of files: bytes after one are no trailing bytes
  bool allow_tail = false;
  bool single = false;  ///< one file that may be 0-d and needs no proof
  std::string pattern;
  Proof proof = Proof::none;
  std::vector<Expectation> counts;  ///< of shards
  std::string directory;            ///< for the remedy of complete.unproven
  std::string manifest_path;
  std::int64_t generation = 0;
  std::vector<Fault> faults;
  std::vector<Fault> warnings;

  [[nodiscard]] std::size_t shards() const noexcept {
    return file_of_shards.empty() ? files.size() : file_of_shards.size();
  }
  /// The index of a shard's file.
  [[nodiscard]] std::size_t file_index(std::size_t shard) const {
    return file_of_shards.empty() ? shard : static_cast<std::size_t>(file_of_shards[shard]);
  }
  [[nodiscard]] const io::FileName& file_of(std::size_t shard) const { return files[file_index(shard)]; }
};

/// Gives each shard a file name of its own, so that shards can be taken out and put together.
void unshare_files(Found& found);
/// Shards whose files have one name get one file: what is opened, asked and read once.
void share_files(Found& found);

/// The path of a file as it can be opened from here, without "./".
std::string path_of(const io::FileName& file);

}  // namespace loadstone::loader
