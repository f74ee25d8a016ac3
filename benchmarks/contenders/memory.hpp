// Anonymous memory in 2 MiB pages, alike for every pattern and ceiling: fresh, or present before the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bench {

/// Move-only owner. Starts on a 2 MiB boundary; throws std::bad_alloc.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::int64_t bytes, bool present);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> mapping_;
  std::span<std::byte> bytes_;
};

}  // namespace bench
