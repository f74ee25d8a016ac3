// Anonymous memory for tiles and staging: large, aligned, untouched until used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace loadstone {

inline constexpr std::int64_t kHugePageBytes = std::int64_t{2} << 20;

/// Move-only owner of a private anonymous mapping. Pages are zero and take no memory until they are touched.
class Pages {
 public:
  /// The last 2 MiB page, if bytes() fill it in part: asked for as well, or left to 4 KiB pages.
  enum class End : std::uint8_t { huge, exact };

  Pages() = default;
  /// @param bytes       > 0; throws std::bad_alloc if the system refuses
  /// @param huge_pages  "auto" asks for 2 MiB pages from 4 MiB on, "hugetlb" takes them from the reserved pool (and
  ///                    falls back to asking), "off" never asks
  /// @param skew        start of bytes() beyond a 2 MiB boundary (from 4 MiB on; else beyond a 4 KiB one)
  /// @param end         what may be there beyond bytes(): of many blocks of memory those ends add up
  explicit Pages(std::int64_t bytes, std::string_view huge_pages = "auto", std::int64_t skew = 0, End end = End::huge);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  /// What became of the wish for 2 MiB pages; the errors are errnos, 0 where nothing was refused.
  struct HugePages {
    bool advised = false;    ///< the kernel was told that they are welcome, and may have none
    int advice_error = 0;    ///< it does not know them
    int reserved_error = 0;  ///< the reserved pool is too small
  };
  [[nodiscard]] const HugePages& huge_pages() const noexcept { return huge_; }

 private:
  void unmap() noexcept;
  std::span<std::byte> mapping_;
  std::span<std::byte> bytes_;
  HugePages huge_;
};

/// Gives the system back what whole 4 KiB pages within some pages hold: they are zero then, and take no memory until
/// they are touched again.
void drop_contents(std::span<std::byte> bytes) noexcept;

}  // namespace loadstone
