#include "io/memory.hpp"

#include "core/checked.hpp"

#include <sys/mman.h>

namespace loadstone::io {
namespace {

constexpr std::int64_t kPageBytes = 4096;

std::byte* map(std::int64_t bytes, int more_flags) {
  void* const at = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

void unmap(std::byte* data, std::int64_t bytes) {
  if (bytes > 0) ::munmap(data, static_cast<std::size_t>(bytes));
}

}  // namespace

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  if (this != &other) {
    unmap(data_, bytes_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

MappedMemory::~MappedMemory() { unmap(data_, bytes_); }

MappedMemory MappedMemory::allocate(std::int64_t bytes, std::string_view huge_pages) {
  bytes = round_up(bytes, kPageBytes);
  if (huge_pages == "hugetlb" && bytes % kHugePageBytes == 0) {
    if (std::byte* data = map(bytes, MAP_HUGETLB)) return {data, bytes};
  }
  // More than is needed is mapped and cut off again, so that what stays starts on a 2 MiB boundary.
  std::byte* const raw = map(bytes + kHugePageBytes, 0);
  if (raw == nullptr) return {};
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(raw) % kHugePageBytes);
  const std::int64_t before = past == 0 ? 0 : kHugePageBytes - past;
  unmap(raw, before);
  std::byte* const data = raw + before;
  unmap(data + bytes, kHugePageBytes - before);
  if (huge_pages != "off") ::madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
  return {data, bytes};
}

}  // namespace loadstone::io
