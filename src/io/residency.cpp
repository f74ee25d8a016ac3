#include "io/residency.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace loadstone::io {
namespace {

// Linux 6.5; the number is the same on all architectures.
constexpr long kCachestat = 451;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPagesAtOnce = 4096;  // 16 MiB: a window

struct CachestatRange {
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct Cachestat {
  std::uint64_t cached;
  std::uint64_t dirty;
  std::uint64_t writeback;
  std::uint64_t evicted;
  std::uint64_t recently_evicted;
};

}  // namespace

Residency residency_of(int fd, std::int64_t offset, std::int64_t bytes) noexcept {
  CachestatRange range = {static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes)};
  Cachestat told = {};
  Residency residency;
  if (::syscall(kCachestat, fd, &range, &told, 0U) != 0) {
    residency.error = errno;
    return residency;
  }
  residency.cached = static_cast<std::int64_t>(told.cached);
  residency.dirty = static_cast<std::int64_t>(told.dirty);
  residency.writeback = static_cast<std::int64_t>(told.writeback);
  return residency;
}

bool residency_is_true(int fd) noexcept {
  char byte = 0;
  if (::pread(fd, &byte, 1, 0) != 1) return false;
  const Residency first = residency_of(fd, 0, 1);
  return first.error == 0 && first.cached > 0;
}

bool pages_are_present(std::span<const std::byte> memory) noexcept {
  std::array<unsigned char, kPagesAtOnce> present{};
  const std::byte* const end = memory.data() + memory.size();
  const std::byte* page = memory.data() - reinterpret_cast<std::uintptr_t>(memory.data()) % kPageBytes;
  while (page < end) {
    const std::size_t bytes = std::min(static_cast<std::size_t>(end - page), kPageBytes * kPagesAtOnce);
    const std::size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
    // mincore needs a page address of our own memory; what it says of private memory is true.
    if (::mincore(const_cast<std::byte*>(page), bytes, present.data()) != 0) return false;
    const auto all = std::span(present).first(pages);
    if (!std::all_of(all.begin(), all.end(), [](unsigned char told) { return (told & 1) != 0; })) return false;
    page += pages * kPageBytes;
  }
  return true;
}

}  // namespace loadstone::io
