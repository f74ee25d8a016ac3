// Anonymous memory that starts on a 2 MiB boundary and asks for 2 MiB pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace loadstone::io {

inline constexpr std::int64_t kHugePageBytes = std::int64_t{2} << 20;

/// Move-only owner of a mapping.
class MappedMemory {
 public:
  MappedMemory() = default;
  MappedMemory(MappedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MappedMemory& operator=(MappedMemory&& other) noexcept;
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  ~MappedMemory();

  /// Invalid if the system has no memory. `huge_pages`: auto, off or hugetlb; what is refused becomes 4 KiB pages.
  static MappedMemory allocate(std::int64_t bytes, std::string_view huge_pages);

  [[nodiscard]] bool valid() const noexcept { return data_ != nullptr; }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] bool contains(const std::byte* at) const noexcept { return at >= data_ && at < data_ + bytes_; }

 private:
  MappedMemory(std::byte* data, std::int64_t bytes) : data_(data), bytes_(bytes) {}
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace loadstone::io
