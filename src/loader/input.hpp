// A shard as a file of the engine.
#pragma once

#include "io/engine.hpp"

#include <loadstone/dataset.hpp>

#include <cstdint>

namespace loadstone::loader {

inline io::InputFile input_file(const Shard& shard, std::int64_t index) {
  return {shard.root.empty() ? io::FileName{"", shard.path} : io::FileName{shard.root, shard.name}, shard.identity,
          index};
}

}  // namespace loadstone::loader
