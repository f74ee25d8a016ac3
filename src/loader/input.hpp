// A file of a dataset as one of the engine.
#pragma once

#include "io/engine.hpp"

#include <loadstone/dataset.hpp>

#include <cstdint>

namespace loadstone::loader {

/// @param shard  the first one in it, for messages about the file as a whole
inline io::InputFile input_file(const DataFile& file, std::int64_t shard) {
  return {file.root.empty() ? io::FileName{"", file.path} : io::FileName{file.root, file.name}, file.identity, shard};
}

}  // namespace loadstone::loader
