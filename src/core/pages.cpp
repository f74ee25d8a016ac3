#include "core/pages.hpp"

#include <linux/mman.h>
#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <utility>

#include "core/checked.hpp"

namespace loadstone {
namespace {

constexpr std::int64_t kSmallPageBytes = 4096;
// Below this the rounding to 2 MiB costs more than the faults it saves.
constexpr std::int64_t kHugeFromBytes = std::int64_t{4} << 20;

std::span<std::byte> map(std::int64_t bytes, int extra_flags) {
  void* const at = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | extra_flags, -1, 0);
  if (at == MAP_FAILED) return {};
  return {static_cast<std::byte*>(at), static_cast<std::size_t>(bytes)};
}

}  // namespace

Pages::Pages(std::int64_t bytes, std::string_view huge_pages, std::int64_t skew, End end) {
  const bool large = bytes >= kHugeFromBytes;
  const std::int64_t boundary = large ? kHugePageBytes : kSmallPageBytes;
  const std::int64_t needed = round_up(bytes + skew, boundary);
  // Reserved now: a pool that is too small refuses here, and not by a SIGBUS at the first touch.
  if (large && huge_pages == "hugetlb") mapping_ = map(needed, MAP_HUGETLB | MAP_HUGE_2MB);
  const bool reserved = !mapping_.empty();
  if (large && huge_pages == "hugetlb" && !reserved) huge_.reserved_error = errno;
  // The kernel aligns to 4 KiB only: one boundary more, then start at the first multiple inside.
  if (!reserved) mapping_ = map(large ? needed + boundary : needed, MAP_NORESERVE);
  if (mapping_.empty()) throw std::bad_alloc();
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(mapping_.data()));
  const std::int64_t start = round_up(address, boundary) - address;
  if (large && huge_pages != "off" && !reserved) {
    const std::int64_t asked = end == End::exact ? round_down(bytes + skew, boundary) : needed;
    huge_.advised = madvise(mapping_.data() + start, static_cast<std::size_t>(asked), MADV_HUGEPAGE) == 0;
    if (!huge_.advised) huge_.advice_error = errno;
  }
  bytes_ = mapping_.subspan(static_cast<std::size_t>(start + skew), static_cast<std::size_t>(bytes));
}

Pages::Pages(Pages&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})), bytes_(std::exchange(other.bytes_, {})), huge_(other.huge_) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  if (this != &other) {
    unmap();
    mapping_ = std::exchange(other.mapping_, {});
    bytes_ = std::exchange(other.bytes_, {});
    huge_ = other.huge_;
  }
  return *this;
}

Pages::~Pages() { unmap(); }

void Pages::unmap() noexcept {
  if (!mapping_.empty()) munmap(mapping_.data(), mapping_.size());
}

void drop_contents(std::span<std::byte> bytes) noexcept {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(bytes.data()));
  const std::int64_t begin = round_up(address, kSmallPageBytes) - address;
  const std::int64_t end = round_down(address + static_cast<std::int64_t>(bytes.size()), kSmallPageBytes) - address;
  if (begin < end) madvise(bytes.data() + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
}

}  // namespace loadstone
