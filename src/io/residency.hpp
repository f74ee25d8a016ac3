// Which pages are in the page cache, and which of our own are there: questions to the kernel that read nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadstone::io {

/// Pages of a file range.
struct Residency {
  int error = 0;  ///< not 0: cachestat is missing or forbidden
  std::int64_t cached = 0;
  std::int64_t dirty = 0;
  std::int64_t writeback = 0;
};

/// cachestat(2). Never mincore(2) on files: to one who may not write a file it calls every page resident.
Residency residency_of(int fd, std::int64_t offset, std::int64_t bytes) noexcept;

/// Whether cachestat tells the truth on this file's system: a page just read must be counted (overlayfs says 0).
/// Reads one byte of the file, buffered.
bool residency_is_true(int fd) noexcept;

/// Whether the pages of this process that hold these bytes are there, so that writing to them does not fault: told by
/// the first and the last, and by one every 2 MiB.
bool pages_are_present(std::span<const std::byte> memory) noexcept;

}  // namespace loadstone::io
