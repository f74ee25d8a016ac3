// P2: buffered reads of 16 MiB into a small block that is used again, then memcpy; a thread a core.
#include <algorithm>
#include <cstring>
#include <thread>

#include "pattern.hpp"

int main() {
  constexpr std::int64_t block = std::int64_t{16} << 20;
  const std::int64_t threads = std::max(1U, std::thread::hardware_concurrency());
  bench::Pattern pattern(
      block, threads,
      [](const bench::Layout& layout, const bench::Range& piece, std::byte* destination, bench::Memory& scratch) {
        if (scratch.bytes().size() < static_cast<std::size_t>(piece.bytes)) scratch = bench::Memory(piece.bytes, false);
        layout.files[piece.file].read(scratch.bytes().data(), piece.bytes, piece.offset);
        std::memcpy(destination, scratch.bytes().data(), static_cast<std::size_t>(piece.bytes));
      });
  return bench::serve(pattern);
}
