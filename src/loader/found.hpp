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
  std::vector<io::FileName> files;  ///< in order along the stack axis
  std::vector<Stated> stated;       ///< one a file, or empty if nothing is stated
  std::string format;               ///< driver; empty: the first bytes of each file decide
  std::optional<DType> dtype;       ///< of the reference, if stated; for raw shards, of the file
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
};

/// The path of a file as it can be opened from here, without "./".
std::string path_of(const io::FileName& file);

}  // namespace loadstone::loader
