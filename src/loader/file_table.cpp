#include "loader/file_table.hpp"

#include <utility>

namespace loadstone::loader {

bool FileTable::is_that_of_the_last(std::string_view root, std::string_view name) const {
  if (file_of_shards_.empty()) return false;
  const io::FileName& last = files_[static_cast<std::size_t>(file_of_shards_.back())];
  return last.name == name && last.root == root;
}

void FileTable::add(std::string_view root, std::string_view name) {
  if (is_that_of_the_last(root, name)) {
    file_of_shards_.push_back(file_of_shards_.back());
    return;
  }
  std::string key(root);
  key.push_back('\0');
  key += name;
  const auto [found, is_new] = known_.try_emplace(std::move(key), static_cast<std::int64_t>(files_.size()));
  if (is_new) files_.push_back({std::string(root), std::string(name)});
  file_of_shards_.push_back(found->second);
}

void FileTable::move_to(Found& found) {
  found.files = std::move(files_);
  found.file_of_shards.clear();
  if (found.files.size() != file_of_shards_.size()) found.file_of_shards = std::move(file_of_shards_);
}

}  // namespace loadstone::loader
