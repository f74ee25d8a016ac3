// Copy kernels: sets of functions that move bytes, one a processor family, listed and chosen at run time (IO-32).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace loadstone {

/// What will be read next: `bytes` from each of `lines`, of which whatever shares a cache line with the byte before is
/// already near. Nothing depends on it but time.
struct Ahead {
  std::span<const std::byte* const> lines;
  std::size_t bytes = 0;
};

/// Functions that move bytes. Source and target never overlap unless said; no alignment is asked for.
struct CopyKernels {
  std::string_view name;
  std::int64_t vector_bytes = 0;  ///< that one store takes at most

  /// memcpy past the cache: whole 64-byte lines of the target by non-temporal stores where the processor has them.
  /// Other threads see the bytes after fence().
  void (*stream)(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;
  void (*fence)() noexcept;

  /// Copies `n` runs of `run_bytes`; strides in bytes.
  void (*runs)(std::byte* target, std::int64_t target_stride, const std::byte* source, std::int64_t source_stride,
               std::size_t run_bytes, std::size_t n) noexcept;

  /// The same past the cache, each run as by stream(). Between the lines that it writes it asks for those of `ahead`,
  /// one for one, so that memory reads and writes at once.
  void (*stream_runs)(std::byte* target, std::int64_t target_stride, const std::byte* source,
                      std::int64_t source_stride, std::size_t run_bytes, std::size_t n, const Ahead& ahead) noexcept;

  /// Reverses the bytes of each word of `unit` bytes; `bytes` is a multiple of it. Source and target may be equal.
  void (*swap)(std::byte* target, const std::byte* source, std::size_t bytes, std::size_t unit) noexcept;

  /// target[row * pitch + column * itemsize] = lines[column][row * itemsize], items of 1, 2, 4, 8 or 16 bytes.
  void (*transpose)(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t itemsize,
                    std::size_t rows, std::size_t columns) noexcept;
};

/// One line of the table of sets.
struct KernelEntry {
  std::string_view name;                 ///< generic, sse2, avx2, avx512, neon
  const CopyKernels* kernels = nullptr;  ///< null: not built for this family of processors
  bool usable = false;                   ///< built, and this processor has the instructions
  std::string_view reason;               ///< what it is, or why it is not usable
};

/// Every set, from the plainest to the best of each family.
std::span<const KernelEntry> kernel_table();
/// The best usable set.
const CopyKernels& best_kernels();
/// A usable set by name; null if there is none.
const CopyKernels* find_kernels(std::string_view name);

// What follows is checked by `make bench-kernels`; docs/tuning.md has the figures.

inline constexpr std::int64_t kLineBytes = 64;

// Of a copy that goes past the cache, runs from this length on do so one by one: shorter ones than a line fill none.
// The lines that they share with their neighbours are asked for ahead.
inline constexpr std::int64_t kStreamRunBytes = kLineBytes;

/// The same for runs that lie dense in the target, of which shorter ones are gathered by rows first: one line where one
/// store takes it whole, else two.
constexpr std::int64_t gathered_run_bytes(const CopyKernels& kernels) {
  return kernels.vector_bytes == kLineBytes ? kLineBytes : 2 * kLineBytes;
}

/// A copy of more than this in all goes past the cache: below it non-temporal stores cost 1.5 times as much, and more
/// if the bytes are used again soon; above it they save reading the target first. The level-2 cache, or a quarter of a
/// level-3 cache that few cores have. The processor is asked once.
std::int64_t stream_total_bytes();

// A fence waits until memory has taken the lines: a part of a copy that is fenced by itself must be long enough to be
// worth that, a microsecond or less.
inline constexpr std::int64_t kFencedBytes = std::int64_t{8} << 10;

// Where two memory orders meet, tiles serve runs that are shorter than this: from four cache lines on, whole lines move
// in any order.
inline constexpr std::int64_t kLongestTiledRun = 256;

// A tile of small items is this long along the source and along the target. Shorter, and the few lines of each run
// begin another page and another row of memory; longer, and the tile no longer shares the first caches with its source.
inline constexpr std::int64_t kTileSideBytes = 256;

/// Like memcpy; past the cache, and fenced, where that is faster.
/// @param total  bytes of the whole copy that this is a part of
void copy_bytes(std::byte* target, const std::byte* source, std::size_t bytes, std::size_t total,
                const CopyKernels& kernels = best_kernels()) noexcept;

}  // namespace loadstone
