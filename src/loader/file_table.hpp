// The files of shards that are named one after the other: each once, however many shards lie in it.
#pragma once

#include "loader/found.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace loadstone::loader {

class FileTable {
 public:
  /// Adds the next shard by the name of its file.
  void add(std::string_view root, std::string_view name);
  /// Hands over files and, unless each shard has one of its own, which is whose.
  void move_to(Found& found);

 private:
  /// Ranges of a file mostly follow one another.
  [[nodiscard]] bool is_that_of_the_last(std::string_view root, std::string_view name) const;

  std::vector<io::FileName> files_;
  std::vector<std::int64_t> file_of_shards_;
  std::unordered_map<std::string, std::int64_t> known_;  // by root, NUL, name
};

}  // namespace loadstone::loader
