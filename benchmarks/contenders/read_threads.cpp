// P1: 16 threads, each with buffered reads of 2 MiB straight into the destination.
#include "pattern.hpp"

int main() {
  bench::Pattern pattern(
      std::int64_t{2} << 20, 16,
      [](const bench::Layout& layout, const bench::Range& piece, std::byte* destination, bench::Memory& /*scratch*/) {
        layout.files[piece.file].read(destination, piece.bytes, piece.offset);
      });
  return bench::serve(pattern);
}
