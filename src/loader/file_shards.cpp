#include "loader/file_shards.hpp"

#include <numeric>

namespace loadstone::loader {

FileShards::FileShards(const Found& found) : starts_(found.files.size() + 1), shards_(found.shards()) {
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) ++starts_[found.file_index(shard) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) shards_[next[found.file_index(shard)]++] = shard;
}

}  // namespace loadstone::loader
