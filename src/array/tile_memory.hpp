// The memory of a tile: owned and aligned for direct reads, or the caller's; shared by all who hold the array or a
// view.
#pragma once

#include <loadstone/array.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "core/pages.hpp"

namespace loadstone {

class TileMemory {
 public:
  /// @param nbytes  0 is legal: nothing is mapped
  /// @param skew    see Pages: makes file offset and address agree modulo the direct-I/O alignment
  explicit TileMemory(std::int64_t nbytes, std::string_view huge_pages = "auto", std::int64_t skew = 0) {
    if (nbytes > 0) pages_ = Pages(nbytes, huge_pages, skew);
    bytes_ = pages_.bytes();
  }
  /// Memory of the caller's, kept alive by `owner`.
  TileMemory(std::span<std::byte> bytes, std::shared_ptr<void> owner) : owner_(std::move(owner)), bytes_(bytes) {}
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// Owned ones; none of the caller's.
  [[nodiscard]] const Pages& pages() const noexcept { return pages_; }

 private:
  Pages pages_;
  std::shared_ptr<void> owner_;
  std::span<std::byte> bytes_;
};

}  // namespace loadstone
