// The loops of a kernel set, over the vectors of one processor family.
//
// A set's file defines a type V with internal linkage and is compiled for its processors. All that is here depends on
// V, so that no function compiled for one set can be linked into another. V has:
//   Register, kLanes        a vector of kLanes times 16 bytes
//   load, store, stream     of a Register; stream past the cache, to a multiple of its size
//   fence                   after streams
//   gather(lines, step, at) lane l is 16 bytes at lines[l * step] + at
//   zip_low<k>, zip_high<k> items of k bytes of the lower (upper) halves of each lane of both, in turn
//   reverse<k>              bytes of each word of k bytes reversed
//   Narrow                  the V of 128 bits, or V itself
//   leave                   before code that was compiled for older processors runs again
#pragma once

#include "core/kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace loadstone::kernel_loops {

inline constexpr std::size_t kLine = 64;

/// n bytes, kPart <= n <= 2 kPart: both ends, which may overlap.
template <class V, std::size_t kPart>
void copy_ends(std::byte* target, const std::byte* source, std::size_t n) {
  __builtin_memcpy(target, source, kPart);
  __builtin_memcpy(target + n - kPart, source + n - kPart, kPart);
}

template <class V>
void copy_below_line(std::byte* target, const std::byte* source, std::size_t n) {
  if (n >= 32) return copy_ends<V, 32>(target, source, n);
  if (n >= 16) return copy_ends<V, 16>(target, source, n);
  if (n >= 8) return copy_ends<V, 8>(target, source, n);
  if (n >= 4) return copy_ends<V, 4>(target, source, n);
  if (n >= 2) return copy_ends<V, 2>(target, source, n);
  if (n == 1) *target = *source;
}

// How far ahead a source is asked for: a page, so that the next one's address is known as well. What is asked for
// behind the end is of no use and does no harm.
inline constexpr std::size_t kReadAhead = 4096;

/// Asks for a line to read soon, into the level-2 cache: a core has several times as many misses under way there as in
/// the level-1 cache, where those of plain loads are.
template <class V>
void ask_for(const std::byte* line) {
  constexpr int kToRead = 0;
  constexpr int kIntoLevel2 = 2;
  __builtin_prefetch(line, kToRead, kIntoLevel2);
}

/// Asks for the lines of an Ahead, one a call.
template <class V>
class Prefetcher {
 public:
  explicit Prefetcher(const Ahead& ahead) : ahead_(ahead) {}

  void next() {
    if (line_ == ahead_.lines.size()) return;
    // The first line that begins after what has been read: the one before is near.
    ask_for<V>(ahead_.lines[line_] + at_ + kLine - 1);
    at_ += kLine;
    if (at_ < ahead_.bytes) return;
    at_ = 0;
    ++line_;
  }

 private:
  const Ahead& ahead_;
  std::size_t line_ = 0;
  std::size_t at_ = 0;
};

/// Calls `between(at)` before each whole line that is written, from that byte of the source.
template <class V, class Between>
void stream_lines(std::byte* target, const std::byte* source, std::size_t bytes, const Between& between) {
  std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(target) % kLine) % kLine;
  if (head > bytes) head = bytes;
  copy_below_line<V>(target, source, head);
  constexpr std::size_t kWidth = 16 * V::kLanes;
  std::size_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    between(at);
    for (std::size_t part = 0; part < kLine; part += kWidth) V::stream(target + at + part, V::load(source + at + part));
  }
  copy_below_line<V>(target + at, source + at, bytes - at);
}

template <class V>
void stream(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  stream_lines<V>(target, source, bytes, [&](std::size_t at) { ask_for<V>(source + at + kReadAhead); });
}

template <class V>
struct Strided {
  std::byte* target;
  std::int64_t target_stride;
  const std::byte* source;
  std::int64_t source_stride;
  std::size_t n;

  template <class Copy>
  void each(const Copy& copy) const {
    std::byte* to = target;
    const std::byte* from = source;
    for (std::size_t i = 0; i < n; ++i, to += target_stride, from += source_stride) copy(to, from);
  }
};

template <class V, std::size_t kRun>
void runs_of(const Strided<V>& all) {
  all.each([](std::byte* to, const std::byte* from) { __builtin_memcpy(to, from, kRun); });
}

template <class V, std::size_t kPart>
void runs_by_ends(const Strided<V>& all, std::size_t run) {
  all.each([run](std::byte* to, const std::byte* from) { copy_ends<V, kPart>(to, from, run); });
}

template <class V>
void long_runs(const Strided<V>& all, std::size_t run) {
  all.each([run](std::byte* to, const std::byte* from) {
    std::size_t at = 0;
    for (; at + kLine < run; at += kLine) __builtin_memcpy(to + at, from + at, kLine);
    __builtin_memcpy(to + run - kLine, from + run - kLine, kLine);
  });
}

template <class V>
void runs(std::byte* target, std::int64_t target_stride, const std::byte* source, std::int64_t source_stride,
          std::size_t run_bytes, std::size_t n) noexcept {
  const Strided<V> all{target, target_stride, source, source_stride, n};
  switch (run_bytes) {
    case 0:
      return;
    case 1:
      return runs_of<V, 1>(all);
    case 2:
      return runs_of<V, 2>(all);
    case 4:
      return runs_of<V, 4>(all);
    case 8:
      return runs_of<V, 8>(all);
    case 16:
      return runs_of<V, 16>(all);
    case 32:
      return runs_of<V, 32>(all);
    case 64:
      return runs_of<V, 64>(all);
    default:
      break;
  }
  if (run_bytes > 64) return long_runs(all, run_bytes);
  if (run_bytes > 32) return runs_by_ends<V, 32>(all, run_bytes);
  if (run_bytes > 16) return runs_by_ends<V, 16>(all, run_bytes);
  if (run_bytes > 8) return runs_by_ends<V, 8>(all, run_bytes);
  if (run_bytes > 4) return runs_by_ends<V, 4>(all, run_bytes);
  return runs_by_ends<V, 2>(all, run_bytes);
}

// Runs by which a shared line is asked for before it is written: a few hundred nanoseconds, as memory needs.
inline constexpr std::int64_t kRunsAhead = 8;

/// Lines that a run shares with what lies before and after it are read before they can be written.
template <class V>
void ask_for_ends(const std::byte* target, std::size_t bytes) {
  const std::byte* const end = target + bytes;
  if (reinterpret_cast<std::uintptr_t>(target) % kLine != 0) __builtin_prefetch(target, 1);
  if (reinterpret_cast<std::uintptr_t>(end) % kLine != 0) __builtin_prefetch(end, 1);
}

/// The source of runs further on, by as many as make kReadAhead, but no more than 64.
inline std::int64_t read_ahead(std::int64_t source_stride, std::size_t run_bytes) {
  const std::size_t runs = kReadAhead / run_bytes;
  return source_stride * static_cast<std::int64_t>(runs < 1 ? 1 : runs > 64 ? 64 : runs);
}

template <class V>
void stream_runs(std::byte* target, std::int64_t target_stride, const std::byte* source, std::int64_t source_stride,
                 std::size_t run_bytes, std::size_t n, const Ahead& ahead) noexcept {
  if (run_bytes == 0) return;
  const Strided<V> all{target, target_stride, source, source_stride, n};
  const std::int64_t ends = kRunsAhead * target_stride;
  if (ahead.lines.empty() && source_stride != static_cast<std::int64_t>(run_bytes)) {
    const std::int64_t step = read_ahead(source_stride, run_bytes);
    return all.each([&](std::byte* to, const std::byte* from) {
      ask_for_ends<V>(to + ends, run_bytes);
      stream_lines<V>(to, from, run_bytes, [&](std::size_t at) { ask_for<V>(from + step + at); });
    });
  }
  Prefetcher<V> prefetcher(ahead);
  all.each([&](std::byte* to, const std::byte* from) {
    ask_for_ends<V>(to + ends, run_bytes);
    stream_lines<V>(to, from, run_bytes, [&](std::size_t) { prefetcher.next(); });
  });
}

/// Words that a vector does not hold, or the last ones of a row.
template <class V>
void swap_plainly(std::byte* target, const std::byte* source, std::size_t bytes, std::size_t unit) {
  for (std::size_t word = 0; word < bytes; word += unit) {
    for (std::size_t low = word, high = word + unit - 1; low <= high; ++low, --high) {
      const std::byte first = source[low];
      target[low] = source[high];
      target[high] = first;
      if (high == word) break;
    }
  }
}

template <class V, std::size_t kUnit>
void swap_vectors(std::byte* target, const std::byte* source, std::size_t bytes) {
  constexpr std::size_t kWidth = 16 * V::kLanes;
  std::size_t at = 0;
  for (; at + kWidth <= bytes; at += kWidth) V::store(target + at, V::template reverse<kUnit>(V::load(source + at)));
  swap_plainly<V>(target + at, source + at, bytes - at, kUnit);
}

template <class V>
void swap(std::byte* target, const std::byte* source, std::size_t bytes, std::size_t unit) noexcept {
  switch (unit) {
    case 2:
      return swap_vectors<V, 2>(target, source, bytes);
    case 4:
      return swap_vectors<V, 4>(target, source, bytes);
    case 8:
      return swap_vectors<V, 8>(target, source, bytes);
    case 16:
      return swap_vectors<V, 16>(target, source, bytes);
    default:
      return swap_plainly<V>(target, source, bytes, unit);
  }
}

/// A tile of 16 / kItem rows: each lane of the registers is a square, transposed by zipping the first half of the
/// registers with the second as often as halving ends at one.
template <class V, std::size_t kItem>
void tile(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t at) {
  constexpr std::size_t kSquare = 16 / kItem;
  constexpr int kRounds = kItem == 1 ? 4 : kItem == 2 ? 3 : kItem == 4 ? 2 : kItem == 8 ? 1 : 0;
  typename V::Register now[kSquare];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kSquare; ++k) now[k] = V::gather(lines + k, kSquare, at);
#pragma GCC unroll 4
  for (int round = 0; round < kRounds; ++round) {
    typename V::Register next[kSquare];
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kSquare / 2; ++k) {
      next[2 * k] = V::template zip_low<kItem>(now[k], now[k + kSquare / 2]);
      next[2 * k + 1] = V::template zip_high<kItem>(now[k], now[k + kSquare / 2]);
    }
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kSquare; ++k) now[k] = next[k];
  }
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kSquare; ++k) V::store(target + k * pitch, now[k]);
}

/// Items that fill no tile.
template <class V, std::size_t kItem>
void transpose_plainly(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t from_row,
                       std::size_t rows, std::size_t columns) {
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = from_row; row < rows; ++row) {
      __builtin_memcpy(target + row * pitch + column * kItem, lines[column] + row * kItem, kItem);
    }
  }
}

/// A source line is read from its start to its end before the next ones are looked at.
template <class V, std::size_t kItem, std::size_t kColumns>
void transpose_columns(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t rows) {
  constexpr std::size_t kSquare = 16 / kItem;
  const std::size_t whole_rows = rows / kSquare * kSquare;
  for (std::size_t row = 0; row < whole_rows; row += kSquare) {
    tile<V, kItem>(target + row * pitch, pitch, lines, row * kItem);
  }
  transpose_plainly<V, kItem>(target, pitch, lines, whole_rows, rows, kColumns);
}

/// Whether more lines than the 8 ways of a first-level cache fall on so few places in it (of 4 KiB a way) that they
/// drive each other out: those that are a power of two apart do.
template <std::size_t kColumns>
bool are_crowded(const std::byte* const* lines) {
  constexpr std::size_t kCrowdedFrom = std::size_t{65536} / kColumns;
  return (reinterpret_cast<std::uintptr_t>(lines[1]) - reinterpret_cast<std::uintptr_t>(lines[0])) % kCrowdedFrom == 0;
}

/// Crowded lines are first copied to where they are not: each cache line is then read once.
template <class V, std::size_t kItem, std::size_t kColumns>
void transpose_crowded(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t rows) {
  constexpr std::size_t kBytes = 256;
  constexpr std::size_t kPitch = kBytes + kLine;
  constexpr std::size_t kRows = kBytes / kItem;
  alignas(kLine) std::byte near[kColumns * kPitch];
  const std::byte* near_lines[kColumns];
  for (std::size_t column = 0; column < kColumns; ++column) near_lines[column] = near + column * kPitch;
  for (std::size_t row = 0; row < rows; row += kRows) {
    const std::size_t n = rows - row < kRows ? rows - row : kRows;
    for (std::size_t column = 0; column < kColumns; ++column) {
      runs<V>(near + column * kPitch, 0, lines[column] + row * kItem, 0, n * kItem, 1);
    }
    transpose_columns<V, kItem, kColumns>(target + row * pitch, pitch, near_lines, n);
  }
}

template <class V, std::size_t kItem>
void transpose_items(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t rows,
                     std::size_t columns) {
  constexpr std::size_t kColumns = 16 / kItem * V::kLanes;
  std::size_t column = 0;
  for (; column + kColumns <= columns; column += kColumns) {
    std::byte* const to = target + column * kItem;
    if constexpr (kColumns > 8) {
      if (are_crowded<kColumns>(lines + column)) {
        transpose_crowded<V, kItem, kColumns>(to, pitch, lines + column, rows);
        continue;
      }
    }
    transpose_columns<V, kItem, kColumns>(to, pitch, lines + column, rows);
  }
  if constexpr (V::kLanes > 1) {
    transpose_items<typename V::Narrow, kItem>(target + column * kItem, pitch, lines + column, rows, columns - column);
  } else {
    transpose_plainly<V, kItem>(target + column * kItem, pitch, lines + column, 0, rows, columns - column);
  }
}

template <class V>
void transpose(std::byte* target, std::size_t pitch, const std::byte* const* lines, std::size_t itemsize,
               std::size_t rows, std::size_t columns) noexcept {
  switch (itemsize) {
    case 1:
      return transpose_items<V, 1>(target, pitch, lines, rows, columns);
    case 2:
      return transpose_items<V, 2>(target, pitch, lines, rows, columns);
    case 4:
      return transpose_items<V, 4>(target, pitch, lines, rows, columns);
    case 8:
      return transpose_items<V, 8>(target, pitch, lines, rows, columns);
    case 16:
      return transpose_items<V, 16>(target, pitch, lines, rows, columns);
    default:
      return;
  }
}

template <class V>
void fence() noexcept {
  V::fence();
}

/// A kernel as others call it: the upper halves of wide registers are cleared on the way out. A compiler may forget
/// that where a function ends by jumping into another of this file, and then each change between wide and narrow code
/// costs a hundred cycles and more: for runs of 256 bytes, five times the copy.
template <class V, auto kKernel>
struct Entry;
template <class V, class... Arguments, void (*kKernel)(Arguments...) noexcept>
struct Entry<V, kKernel> {
  static void call(Arguments... arguments) noexcept {
    kKernel(arguments...);
    V::leave();
  }
};

template <class V>
constexpr CopyKernels make_kernels(std::string_view name) {
  return {name,
          16 * V::kLanes,
          &Entry<V, &stream<V>>::call,
          &fence<V>,
          &Entry<V, &runs<V>>::call,
          &Entry<V, &stream_runs<V>>::call,
          &Entry<V, &swap<V>>::call,
          &Entry<V, &transpose<V>>::call};
}

}  // namespace loadstone::kernel_loops
