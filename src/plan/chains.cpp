#include "plan/chains.hpp"

#include <algorithm>

namespace loadstone::plan {
namespace {

/// Whether a shard goes on where the one before it ends.
bool follows(const Dataset& dataset, const Shard& before, const Shard& shard) {
  const bool rows_in_order = dataset.ndim() == 1 || (before.order == StorageOrder::c && shard.order == StorageOrder::c);
  return shard.file == before.file && shard.data_offset == before.data_offset + before.nbytes &&
         shard.dtype == before.dtype && rows_in_order;
}

}  // namespace

std::vector<std::int64_t> chain_starts(const Dataset& dataset) {
  std::vector<std::int64_t> starts;
  const Shard* last = nullptr;  // that is not empty, of the present chain
  for (std::size_t at = 0; at < dataset.shards.size(); ++at) {
    const Shard& shard = dataset.shards[at];
    const bool goes_on = shard.nbytes == 0 || (last != nullptr && follows(dataset, *last, shard));
    if (starts.empty() || !goes_on) {
      starts.push_back(static_cast<std::int64_t>(at));
      last = nullptr;
    }
    if (shard.nbytes > 0) last = &shard;
  }
  starts.push_back(static_cast<std::int64_t>(dataset.shards.size()));
  return starts;
}

std::int64_t shard_at(const Dataset& dataset, std::int64_t first_shard, std::int64_t file_offset) {
  const Shard& first = dataset.shards[static_cast<std::size_t>(first_shard)];
  if (file_offset < first.data_offset + first.nbytes) return first_shard;
  const std::int64_t row_nbytes = first.nbytes / first.rows;
  const std::int64_t row =
      dataset.row_index[static_cast<std::size_t>(first_shard)] + (file_offset - first.data_offset) / row_nbytes;
  const auto after = std::ranges::upper_bound(dataset.row_index, row);
  return after - dataset.row_index.begin() - 1;
}

}  // namespace loadstone::plan
