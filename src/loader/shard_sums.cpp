#include "loader/shard_sums.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/guarded.hpp"
#include "core/hash.hpp"
#include "loader/report.hpp"
#include "plan/chains.hpp"

namespace loadstone::loader {
namespace {

constexpr std::uint32_t kOnes = 0xFFFFFFFF;

/// The sum of bytes from state 0.
std::uint32_t linear_sum(std::span<const std::byte> bytes) { return ~crc32c(bytes, kOnes); }

/// value x^(8 n).
std::uint32_t shifted(std::uint32_t value, std::int64_t n) { return crc32c_combine(value, 0, n); }

using Record = std::array<std::int64_t, 3>;  // shard, partial sum, bytes

}  // namespace

void ShardSums::add(std::int64_t first_shard, std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::int64_t shard = plan::shard_at(*dataset_, first_shard, offset);
    const Shard& file = dataset_->shards[static_cast<std::size_t>(shard)];
    const auto length = std::min(std::ssize(bytes), file.data_offset + file.nbytes - offset);
    add_to_one(shard, offset, bytes.first(static_cast<std::size_t>(length)));
    bytes = bytes.subspan(static_cast<std::size_t>(length));
    offset += length;
  }
}

void ShardSums::add_to_one(std::int64_t shard, std::int64_t offset, std::span<const std::byte> bytes) {
  const Shard& file = dataset_->shards[static_cast<std::size_t>(shard)];
  const auto length = static_cast<std::int64_t>(bytes.size());
  Sum& sum = sums_[shard];
  sum.partial ^= shifted(linear_sum(bytes), file.data_offset + file.nbytes - offset - length);
  sum.bytes += length;
}

/// The records of all ranks.
Result<comm::Gathered> ShardSums::gather(comm::Agreement& agreement) const {
  std::vector<Record> mine;
  Status ready = guarded_action([&] {
    for (const auto& [shard, sum] : sums_) mine.push_back({shard, sum.partial, sum.bytes});
  });
  return agreement.allgather(std::as_bytes(std::span(mine)), "verify", std::move(ready));
}

ShardSums::Sums ShardSums::added_up(const comm::Gathered& all) {
  Sums sums;
  for (std::size_t at = 0; at + sizeof(Record) <= all.bytes.size(); at += sizeof(Record)) {
    Record record;
    std::memcpy(record.data(), all.bytes.data() + at, sizeof(Record));
    Sum& sum = sums[record[0]];
    sum.partial ^= static_cast<std::uint32_t>(record[1]);
    sum.bytes += record[2];
  }
  return sums;
}

Status ShardSums::check(comm::Agreement& agreement, bool everywhere, std::int64_t& unverified_bytes) {
  if (everywhere) return guarded([&] { return compare(sums_, unverified_bytes); });
  auto all = gather(agreement);
  if (!all.ok()) return std::move(all).status();
  return guarded([&] { return compare(added_up(*all), unverified_bytes); });
}

Status ShardSums::compare(const Sums& sums, std::int64_t& unverified_bytes) const {
  Failure failure;
  for (const auto& [index, sum] : sums) {
    const auto at = static_cast<std::size_t>(index);
    const Shard& shard = dataset_->shards[at];
    const bool known = at < dataset_->manifest_crc32c.size() && !dataset_->manifest_crc32c[at].empty();
    if (!known || sum.bytes != shard.nbytes) {
      if (const auto own = sums_.find(index); own != sums_.end()) {
        unverified_bytes += own->second.bytes;
      }
      continue;
    }
    const std::string got = hex32(~(shifted(kOnes, shard.nbytes) ^ sum.partial));
    const std::string& wanted = dataset_->manifest_crc32c[at];
    if (got != wanted)
      failure.faults.push_back(differs_from_manifest(*dataset_, index, "crc32c of the payload", wanted, got));
  }
  if (failure.faults.empty()) return {};
  failure.total_faults = static_cast<std::int64_t>(failure.faults.size());
  return failure;
}

}  // namespace loadstone::loader
