// Memory of the batches of a stream: that of a batch which nobody holds any more is used again.
#pragma once

#include "array/tile_memory.hpp"

#include <loadstone/options.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace loadstone::loader {

/// Pages that are there already need not be made anew: that takes as long as a fifth of a read, and a core meanwhile.
/// Used by one thread at a time.
class BatchMemory {
 public:
  /// Idle memory of at least `bytes`, if there is some. What else is idle is given back.
  std::optional<Destination> take(std::int64_t bytes) {
    const auto fits = [&](const auto& memory) { return is_idle(memory) && size_of(*memory) >= bytes; };
    const auto found = std::find_if(made_.begin(), made_.end(), fits);
    std::optional<Destination> taken;
    if (found != made_.end()) taken = {(*found)->bytes().first(static_cast<std::size_t>(bytes)), *found, {}, {}};
    std::erase_if(made_, is_idle);
    return taken;
  }

  /// Remembers the memory of a batch that was not taken from here.
  void add(std::shared_ptr<TileMemory> memory) { made_.push_back(std::move(memory)); }

 private:
  static bool is_idle(const std::shared_ptr<TileMemory>& memory) { return memory.use_count() == 1; }
  static std::int64_t size_of(const TileMemory& memory) { return static_cast<std::int64_t>(memory.bytes().size()); }

  std::vector<std::shared_ptr<TileMemory>> made_;
};

}  // namespace loadstone::loader
