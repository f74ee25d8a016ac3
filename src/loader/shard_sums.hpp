// crc32c of whole shards from runs that are read in any order by any rank (DS59).
//
// A CRC is linear: with f(A) the sum of A from state 0, f(AB) = f(A) x^(8|B|) + f(B). So every run adds f(run) times
// x^(8 x bytes after it) to its shard, in any order, and whoever read it; the counts of bytes tell which shards are
// whole.
#pragma once

#include "comm/agree.hpp"
#include "core/status.hpp"

#include <loadstone/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace loadstone::loader {

class ShardSums {
 public:
  explicit ShardSums(const Dataset& dataset) : dataset_(&dataset) {}

  /// Adds bytes that stand at `offset` of the shard's file, or of those of its chain (plan/chains.hpp).
  void add(std::int64_t first_shard, std::int64_t offset, std::span<const std::byte> bytes);

  /// Compares whole shards with the manifest: `verify.differs` for each that differs, in shard order.
  /// @param everywhere  every rank has read the same bytes: nothing is added up over ranks, else collective
  /// @param unverified_bytes  of this rank, in shards that no sum could be made for
  Status check(comm::Agreement& agreement, bool everywhere, std::int64_t& unverified_bytes);

 private:
  struct Sum {
    std::uint32_t partial = 0;
    std::int64_t bytes = 0;
  };
  using Sums = std::map<std::int64_t, Sum>;
  void add_to_one(std::int64_t shard, std::int64_t offset, std::span<const std::byte> bytes);
  [[nodiscard]] Result<comm::Gathered> gather(comm::Agreement& agreement) const;
  static Sums added_up(const comm::Gathered& all);
  Status compare(const Sums& sums, std::int64_t& unverified_bytes) const;
  const Dataset* dataset_;
  Sums sums_;
};

}  // namespace loadstone::loader
