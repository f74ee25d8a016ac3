#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace bench {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

}  // namespace

Memory::Memory(std::int64_t bytes, bool present) {
  const std::size_t size = rounded(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  void* at = ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  mapping_ = {static_cast<std::byte*>(at), size + kHugePage};
  const std::size_t skew = rounded(reinterpret_cast<std::size_t>(at)) - reinterpret_cast<std::size_t>(at);
  const std::span<std::byte> usable = mapping_.subspan(skew, size);
  ::madvise(usable.data(), usable.size(), MADV_HUGEPAGE);
  if (present) std::memset(usable.data(), 1, usable.size());
  bytes_ = usable.first(static_cast<std::size_t>(bytes));
}

Memory::Memory(Memory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})), bytes_(std::exchange(other.bytes_, {})) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Memory::~Memory() {
  if (!mapping_.empty()) ::munmap(mapping_.data(), mapping_.size());
}

}  // namespace bench
