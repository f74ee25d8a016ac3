// Hashes whole files, and the payloads in them, while they are read: blocks arrive in any order and are summed in file
// order.
#pragma once

#include "core/hash.hpp"
#include "io/engine.hpp"
#include "io/staging.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace loadstone::loader {

/// Where the payload of a shard stands in its file.
struct Payload {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// A file to be hashed: its size, and the payloads in it by ascending offset; they may overlap.
struct HashJob {
  std::int64_t bytes = 0;
  std::vector<Payload> payloads;
};

struct FileSums {
  Hash128 xxh3_128;                   ///< of the whole file
  std::vector<std::uint32_t> crc32c;  ///< of each payload
};

/// Feeds the engine file by file; not thread-safe.
class FileHasher final : public io::ReadSource {
 public:
  /// @param jobs      one a file of the run, in the same order
  /// @param progress  called with the bytes hashed so far; may be empty
  FileHasher(std::vector<HashJob> jobs, io::StagingPool& pool, std::int64_t block_bytes,
             std::function<void(std::int64_t)> progress, std::function<Status()> listen);

  /// One a file; empty for those that were not finished.
  [[nodiscard]] const std::vector<std::optional<FileSums>>& sums() const { return sums_; }

  Next next(io::Read& read) override;
  Status done(const io::Read& read) override;
  Status poll() override { return listen_ ? listen_() : Status(); }

 private:
  struct Block {
    std::uint64_t tag = 0;
    std::size_t file = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    io::StagingLease lease;
    bool arrived = false;
  };
  void skip_empty_files();
  void consume(Block& block);
  void sum_payloads(const Block& block, std::span<const std::byte> bytes);

  std::vector<HashJob> jobs_;
  io::StagingPool* pool_;
  std::int64_t block_bytes_;
  std::function<void(std::int64_t)> progress_;
  std::function<Status()> listen_;
  std::vector<std::optional<FileSums>> sums_;
  std::deque<Block> blocks_;  ///< in the order in which they were handed out: file order
  std::uint64_t next_tag_ = 0;
  std::size_t file_ = 0;  ///< next to be handed out
  std::int64_t offset_ = 0;
  std::optional<Hasher> hasher_;
  std::vector<std::uint32_t> crcs_;  ///< so far, of the payloads of the file that is being hashed
  std::size_t first_open_ = 0;       ///< the payloads before this one are summed
  std::int64_t hashed_ = 0;
};

}  // namespace loadstone::loader
