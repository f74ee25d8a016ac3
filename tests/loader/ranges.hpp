// Raw files, a sidecar that names ranges of them as shards, and what a load of them must give.
#pragma once

#include <loadstone/distribution.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "support/temp_dir.hpp"

namespace loadstone::test {

struct RangeOfFile {
  std::size_t file = 0;
  std::int64_t offset = 0;
  std::int64_t rows = 0;
};

/// Files f0.bin, ... of bytes that know where they belong, and shards in them.
struct RangesOfFiles {
  std::string dtype = "|u1";
  std::int64_t itemsize = 1;
  Shape trailing;
  std::vector<std::int64_t> file_bytes;
  std::vector<RangeOfFile> ranges;

  [[nodiscard]] std::int64_t row_nbytes() const {
    std::int64_t bytes = itemsize;
    for (const std::int64_t extent : trailing) bytes *= extent;
    return bytes;
  }

  /// The next shard, `gap` bytes behind the end of a file.
  void append(std::size_t file, std::int64_t rows, std::int64_t gap = 0) {
    if (file_bytes.size() <= file) file_bytes.resize(file + 1);
    ranges.push_back({file, file_bytes[file] + gap, rows});
    file_bytes[file] += gap + rows * row_nbytes();
  }

  void write(const TempDir& directory) const {
    for (std::size_t file = 0; file < file_bytes.size(); ++file) {
      directory.write(name(file), pattern(file_bytes[file], static_cast<std::int64_t>(file)));
    }
    directory.write("shard_meta.json", sidecar());
  }

  /// All rows one after the other, in the order of the shards, as they stand in the files.
  [[nodiscard]] std::vector<std::byte> stored() const {
    std::vector<std::byte> bytes;
    for (const RangeOfFile& range : ranges) {
      for (std::int64_t i = 0; i < range.rows * row_nbytes(); ++i) {
        bytes.push_back(pattern_byte(range.offset + i, static_cast<std::int64_t>(range.file)));
      }
    }
    return bytes;
  }

  /// The same in this machine's byte order, if the type is big-endian.
  [[nodiscard]] std::vector<std::byte> swapped() const {
    std::vector<std::byte> bytes = stored();
    for (auto at = bytes.begin(); at != bytes.end(); at += itemsize) std::reverse(at, at + itemsize);
    return bytes;
  }

  static std::string name(std::size_t file) { return "f" + std::to_string(file) + ".bin"; }

  [[nodiscard]] std::string sidecar() const {
    std::string shape;
    for (const std::int64_t extent : trailing) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    std::string shards;
    for (const RangeOfFile& range : ranges) {
      shards += (shards.empty() ? "{\"path\": \"" : ", {\"path\": \"") + name(range.file) +
                "\", \"offset\": " + std::to_string(range.offset) + ", \"rows\": " + std::to_string(range.rows) + "}";
    }
    return "{\"dtype\": \"" + dtype + "\", \"trailing_shape\": [" + shape + "], \"shards\": [" + shards + "]}";
  }
};

/// Some ranges of a few files: they touch, leave gaps, overlap, are empty, and come in any order.
inline RangesOfFiles random_ranges(std::mt19937_64& random, const RangesOfFiles& like) {
  RangesOfFiles made = like;
  const auto files = static_cast<std::size_t>(pick(random, 1, 3));
  for (std::size_t file = 0; file < files; ++file) made.file_bytes.push_back(pick(random, 0, 5000));
  std::size_t file = 0;
  for (std::int64_t left = pick(random, 1, 60); left > 0; --left) {
    if (pick(random, 0, 4) == 0) file = static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(files) - 1));
    const std::int64_t gap = pick(random, 0, 3) == 0 ? pick(random, 1, pick(random, 0, 1) == 0 ? 40 : 9000) : 0;
    made.append(file, pick(random, 0, 5) == 0 ? 0 : pick(random, 1, 700), gap);
  }
  if (pick(random, 0, 1) == 0) std::shuffle(made.ranges.begin(), made.ranges.end(), random);
  for (std::int64_t more = pick(random, 0, 4); more > 0; --more) {  // these overlap others
    const auto of = static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(files) - 1));
    const std::int64_t rows = std::min<std::int64_t>(made.file_bytes[of] / made.row_nbytes(), 300);
    const std::int64_t start = pick(random, 0, made.file_bytes[of] - rows * made.row_nbytes());
    made.ranges.push_back({of, start, rows});
  }
  return made;
}

}  // namespace loadstone::test
