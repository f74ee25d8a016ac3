#include "loader/found.hpp"

#include "core/text.hpp"
#include "loader/glob.hpp"

namespace loadstone::loader {

std::string path_of(const io::FileName& file) { return join_path(file.root, file.name); }

std::string shown_path(const io::FileName& file) {
  const std::string path = path_of(file);
  return escape(path, path.size());
}

}  // namespace loadstone::loader
