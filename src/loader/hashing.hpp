// Hashing the content of a dataset: each shard is read once, shared out over ranks, under the budget.
#pragma once

#include "core/status.hpp"
#include "io/staging.hpp"
#include "loader/discover.hpp"
#include "loader/file_hasher.hpp"
#include "loader/session.hpp"

#include <loadstone/load.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loadstone::loader {

/// Of a shard: its file, and its payload in it.
struct ShardContent {
  Hash128 xxh3_128;
  std::uint32_t crc32c = 0;
};
/// By shard.
using AllSums = std::map<std::int64_t, ShardContent>;

/// This rank's share of the files whose shards have no fault yet: each is read once, however many shards are ranges of
/// it. What it refers to must outlive it.
class Hashing {
 public:
  Hashing(Session& session, const Survey& survey, const VerifyOptions& options)
      : session_(session), survey_(survey), options_(options) {}

  /// Local. Files that cannot be read become faults(), one a file with its first shard; other failures end it.
  Status run();

  [[nodiscard]] const AllSums& sums() const { return sums_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  [[nodiscard]] std::int64_t bytes_read() const { return bytes_read_; }
  /// Reasons and how often they were met.
  [[nodiscard]] const std::map<std::string, std::int64_t>& fallbacks() const { return fallbacks_; }

 private:
  Status make_pool();
  /// A file and its shards that have no fault, by ascending offset.
  struct Job {
    std::int64_t file = 0;
    std::vector<std::int64_t> shards;
  };
  [[nodiscard]] std::vector<Job> sound_files() const;
  [[nodiscard]] std::vector<Job> my_share() const;
  Status hash(io::Engine& engine, std::vector<Job>& jobs);
  void take(const Job& job, const FileSums& sums);
  [[nodiscard]] const Shard& shard(std::int64_t index) const {
    return survey_.dataset.shards[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const DataFile& file(std::int64_t index) const {
    return survey_.dataset.files[static_cast<std::size_t>(index)];
  }

  Session& session_;
  const Survey& survey_;
  const VerifyOptions& options_;
  std::int64_t block_bytes_ = 0;
  std::int64_t bytes_wanted_ = 0;
  std::unique_ptr<io::StagingPool> pool_;
  AllSums sums_;
  std::vector<Fault> faults_;
  std::int64_t bytes_read_ = 0;
  std::map<std::string, std::int64_t> fallbacks_;
};

}  // namespace loadstone::loader
