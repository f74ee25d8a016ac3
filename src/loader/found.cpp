#include "loader/found.hpp"

#include "loader/glob.hpp"

namespace loadstone::loader {

std::string path_of(const io::FileName& file) { return join_path(file.root, file.name); }

}  // namespace loadstone::loader
