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
#include <vector>

namespace loadstone::loader {

/// By shard.
using AllSums = std::map<std::int64_t, FileSums>;

/// This rank's share of the shards that have no fault yet. What it refers to must outlive it.
class Hashing {
 public:
  Hashing(Session& session, const Survey& survey, const VerifyOptions& options)
      : session_(session), survey_(survey), options_(options) {}

  /// Local. Shards that cannot be read become faults(); other failures end it.
  Status run();

  [[nodiscard]] const AllSums& sums() const { return sums_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  [[nodiscard]] std::int64_t bytes_read() const { return bytes_read_; }

 private:
  Status make_pool();
  [[nodiscard]] std::vector<std::int64_t> my_share() const;
  Status hash(io::Engine& engine, const std::vector<std::int64_t>& shards);

  Session& session_;
  const Survey& survey_;
  const VerifyOptions& options_;
  std::int64_t block_bytes_ = 0;
  std::int64_t bytes_wanted_ = 0;
  std::unique_ptr<io::StagingPool> pool_;
  AllSums sums_;
  std::vector<Fault> faults_;
  std::int64_t bytes_read_ = 0;
};

}  // namespace loadstone::loader
