// Which shards lie in which file: the other way round than Found tells.
#pragma once

#include "loader/found.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace loadstone::loader {

class FileShards {
 public:
  explicit FileShards(const Found& found);

  /// Shards of a file, ascending.
  [[nodiscard]] std::span<const std::size_t> of(std::size_t file) const { return of(file, file + 1); }
  /// Shards of files [begin, end), file by file.
  [[nodiscard]] std::span<const std::size_t> of(std::size_t begin, std::size_t end) const {
    return std::span(shards_).subspan(starts_[begin], starts_[end] - starts_[begin]);
  }

 private:
  std::vector<std::size_t> starts_;  // one a file, and the end
  std::vector<std::size_t> shards_;
};

}  // namespace loadstone::loader
