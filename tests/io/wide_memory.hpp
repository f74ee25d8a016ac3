// More addresses than there may be memory for.
#pragma once

#include "io/file.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadstone::test {

/// A range of more than 2 GiB, whose middle is the same memory again and again: it is not looked at.
class WideMemory {
 public:
  WideMemory(std::int64_t bytes, std::int64_t edge)
      : bytes_(static_cast<std::size_t>(bytes)), shared_(::memfd_create("middle", MFD_CLOEXEC)) {
    EXPECT_EQ(::ftruncate(shared_.get(), edge), 0);
    void* const all = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(all, MAP_FAILED);
    data_ = static_cast<std::byte*>(all);
    const auto step = static_cast<std::size_t>(edge);
    for (std::size_t at = step; at + 2 * step <= bytes_; at += step) {
      void* const same = ::mmap(data_ + at, step, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared_.get(), 0);
      EXPECT_EQ(same, data_ + at);
    }
  }
  WideMemory(const WideMemory&) = delete;
  WideMemory& operator=(const WideMemory&) = delete;
  ~WideMemory() { ::munmap(data_, bytes_); }
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, bytes_}; }

 private:
  std::size_t bytes_;
  io::Descriptor shared_;
  std::byte* data_ = nullptr;
};

}  // namespace loadstone::test
