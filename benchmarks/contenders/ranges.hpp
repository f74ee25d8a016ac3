// Where the bytes of a job's data set lie, as any reader must find out: from .npy headers, or from the sidecar.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol.hpp"

namespace bench {

/// Owns a descriptor.
class File {
 public:
  explicit File(const std::string& path, int flags = 0);
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::int64_t size() const;
  /// Reads exactly `size` bytes at `offset`, or throws.
  void read(void* into, std::int64_t size, std::int64_t offset) const;

 private:
  int descriptor_;
};

/// A range of a file and where it goes in the result.
struct Range {
  std::size_t file = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t at = 0;
};

struct Layout {
  std::vector<File> files;
  std::vector<Range> ranges;  ///< in order of the result; those that touch in file and result are one
  std::int64_t bytes = 0;
};

/// Opens the files and reads what says where their bytes are.
Layout find_ranges(const Job& job);

/// The ranges of bytes [begin, end) of the result, no longer than `block`, with `at` counted from `begin`.
std::vector<Range> cut(const Layout& layout, std::int64_t begin, std::int64_t end, std::int64_t block);

}  // namespace bench
