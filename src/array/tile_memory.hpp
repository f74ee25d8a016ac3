// The memory of a tile: owned, aligned for direct reads, shared by all who hold the array or a view of it.
#pragma once

#include <loadstone/array.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/pages.hpp"

namespace loadstone {

class TileMemory {
 public:
  /// @param nbytes  0 is legal: nothing is mapped
  /// @param skew    see Pages: makes file offset and address agree modulo the direct-I/O alignment
  explicit TileMemory(std::int64_t nbytes, std::string_view huge_pages = "auto", std::int64_t skew = 0) {
    if (nbytes > 0) pages_ = Pages(nbytes, huge_pages, skew);
  }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return pages_.bytes(); }

 private:
  Pages pages_;
};

}  // namespace loadstone
