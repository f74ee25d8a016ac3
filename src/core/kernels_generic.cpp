// The set without vectors: what every other set must equal.
#include <cstring>

#include "core/kernel_loops.hpp"
#include "core/kernel_sets.hpp"

namespace loadstone {
namespace {

struct NoVectors {};

void stream(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  if (bytes != 0) std::memcpy(target, source, bytes);
}

void fence() noexcept {}

void runs(std::byte* target, std::int64_t target_stride, const std::byte* source, std::int64_t source_stride,
          std::size_t run_bytes, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i, target += target_stride, source += source_stride) {
    stream(target, source, run_bytes);
  }
}

void stream_runs(std::byte* target, std::int64_t target_stride, const std::byte* source, std::int64_t source_stride,
                 std::size_t run_bytes, std::size_t n, const Ahead& /*ahead*/) noexcept {
  runs(target, target_stride, source, source_stride, run_bytes, n);
}

template <class Word>
void swap_words(std::byte* target, const std::byte* source, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, source + at, sizeof(Word));
    if constexpr (sizeof(Word) == 2) word = __builtin_bswap16(word);
    if constexpr (sizeof(Word) == 4) word = __builtin_bswap32(word);
    if constexpr (sizeof(Word) == 8) word = __builtin_bswap64(word);
    std::memcpy(target + at, &word, sizeof(Word));
  }
}

void swap(std::byte* target, const std::byte* source, std::size_t bytes, std::size_t unit) noexcept {
  switch (unit) {
    case 2:
      return swap_words<std::uint16_t>(target, source, bytes);
    case 4:
      return swap_words<std::uint32_t>(target, source, bytes);
    case 8:
      return swap_words<std::uint64_t>(target, source, bytes);
    default:
      return kernel_loops::swap_plainly<NoVectors>(target, source, bytes, unit);
  }
}

void transpose(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t itemsize,
               std::size_t rows, std::size_t columns) noexcept {
  switch (itemsize) {
    case 1:
      return kernel_loops::transpose_plainly<NoVectors, 1>(target, pitch, lines, 0, rows, columns);
    case 2:
      return kernel_loops::transpose_plainly<NoVectors, 2>(target, pitch, lines, 0, rows, columns);
    case 4:
      return kernel_loops::transpose_plainly<NoVectors, 4>(target, pitch, lines, 0, rows, columns);
    case 8:
      return kernel_loops::transpose_plainly<NoVectors, 8>(target, pitch, lines, 0, rows, columns);
    default:
      return kernel_loops::transpose_plainly<NoVectors, 16>(target, pitch, lines, 0, rows, columns);
  }
}

}  // namespace

namespace kernel_sets {

constinit const CopyKernels kGeneric = {"generic", sizeof(std::uint64_t), &stream, &fence,
                                        &runs,     &stream_runs,          &swap,   &transpose};

}  // namespace kernel_sets
}  // namespace loadstone
