#include "loader/found.hpp"

#include "loader/file_table.hpp"
#include "loader/glob.hpp"

#include <utility>

namespace loadstone::loader {

void unshare_files(Found& found) {
  if (found.file_of_shards.empty()) return;
  std::vector<io::FileName> files;
  files.reserve(found.shards());
  for (std::size_t shard = 0; shard < found.shards(); ++shard) files.push_back(found.file_of(shard));
  found.files = std::move(files);
  found.file_of_shards.clear();
}

void share_files(Found& found) {
  if (!found.file_of_shards.empty()) return;
  FileTable table;
  for (const io::FileName& file : found.files) table.add(file.root, file.name);
  table.move_to(found);
}

std::string path_of(const io::FileName& file) { return join_path(file.root, file.name); }

}  // namespace loadstone::loader
