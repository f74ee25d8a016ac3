#include "core/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/convert.hpp"

namespace loadstone {
namespace {

// A row is worked on through a buffer that stays in the first-level cache (16 B x 512 = 8 KiB of 32 to 48).
constexpr std::int64_t kRow = 512;
// In a C <-> F move 64 source lines are read side by side, and each serves the next rows: 64 x 64 B = 4 KiB of L1.
constexpr std::int64_t kLines = 64;

template <class Word>
Word swapped(Word word) {
  if constexpr (sizeof(Word) == 2) {
    return static_cast<Word>(__builtin_bswap16(word));
  } else if constexpr (sizeof(Word) == 4) {
    return __builtin_bswap32(word);
  } else {
    return __builtin_bswap64(word);
  }
}

struct Strides {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

template <class Word>
void copy_words(const std::byte* source, std::byte* target, Strides strides, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(target + i * strides.target, source + i * strides.source, sizeof(Word));
}

template <class Word>
void swap_words(const std::byte* source, std::byte* target, Strides strides, std::int64_t n, std::int64_t words) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Word));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t w = 0; w < words; ++w) {
      Word word;
      std::memcpy(&word, source + i * strides.source + w * size, sizeof(Word));
      word = swapped(word);
      std::memcpy(target + i * strides.target + w * size, &word, sizeof(Word));
    }
  }
}

struct Pair {
  std::uint64_t a;
  std::uint64_t b;
};

/// Moves rows of elements without changing their value: bits, with or without a byte swap.
class BitMover {
 public:
  BitMover(const DType& dtype, bool swap) : itemsize_(dtype.itemsize), unit_(swap ? dtype.swap_unit() : 1) {}

  void operator()(const std::byte* source, std::byte* target, Strides strides, std::int64_t n) const {
    if (unit_ > 1) return swap_row(source, target, strides, n);
    if (strides.source == itemsize_ && strides.target == itemsize_) {
      if (n * itemsize_ != 0) std::memcpy(target, source, static_cast<std::size_t>(n * itemsize_));
      return;
    }
    copy_row(source, target, strides, n);
  }

 private:
  void copy_row(const std::byte* source, std::byte* target, Strides strides, std::int64_t n) const {
    switch (itemsize_) {
      case 1:
        return copy_words<std::uint8_t>(source, target, strides, n);
      case 2:
        return copy_words<std::uint16_t>(source, target, strides, n);
      case 4:
        return copy_words<std::uint32_t>(source, target, strides, n);
      case 8:
        return copy_words<std::uint64_t>(source, target, strides, n);
      case 16:
        return copy_words<Pair>(source, target, strides, n);
      default:
        for (std::int64_t i = 0; i < n; ++i) {
          std::memcpy(target + i * strides.target, source + i * strides.source, static_cast<std::size_t>(itemsize_));
        }
    }
  }

  void swap_row(const std::byte* source, std::byte* target, Strides strides, std::int64_t n) const {
    const std::int64_t words = itemsize_ / unit_;
    switch (unit_) {
      case 2:
        return swap_words<std::uint16_t>(source, target, strides, n, words);
      case 4:
        return swap_words<std::uint32_t>(source, target, strides, n, words);
      case 8:
        return swap_words<std::uint64_t>(source, target, strides, n, words);
      default:
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t w = 0; w < words; ++w) {
            const std::byte* const from = source + i * strides.source + w * unit_;
            std::reverse_copy(from, from + unit_, target + i * strides.target + w * unit_);
          }
        }
    }
  }

  std::int64_t itemsize_;
  std::int64_t unit_;
};

/// Moves rows and converts them: gathered (and swapped) into a buffer, converted, scattered.
class ConvertingMover {
 public:
  ConvertingMover(const DType& source, const DType& target, Casting casting)
      : source_(source.native()),
        target_(target),
        casting_(casting),
        gather_(source, !source.is_native()),
        scatter_(target, false),
        convert_(find_convert_row(source, target, casting)) {}

  std::optional<LostInRow> operator()(const std::byte* source, std::byte* target, Strides strides,
                                      std::int64_t n) const {
    alignas(64) std::array<std::byte, kRow * 16> gathered;
    alignas(64) std::array<std::byte, kRow * 16> converted;
    for (std::int64_t at = 0; at < n; at += kRow) {
      const std::int64_t part = std::min(kRow, n - at);
      const std::byte* from = source + at * strides.source;
      if (strides.source != source_.itemsize || gather_needed()) {
        gather_(from, gathered.data(), {strides.source, source_.itemsize}, part);
        from = gathered.data();
      }
      const bool dense = strides.target == target_.itemsize;
      std::byte* const to = dense ? target + at * strides.target : converted.data();
      if (convert_(from, to, part)) {
        LostInRow lost = first_lost(from, source_, target_, part, casting_);
        lost.position += at;
        return lost;
      }
      if (!dense) scatter_(converted.data(), target + at * strides.target, {target_.itemsize, strides.target}, part);
    }
    return std::nullopt;
  }

  void require_gather() { swap_ = true; }

 private:
  [[nodiscard]] bool gather_needed() const { return swap_; }
  DType source_;
  DType target_;
  Casting casting_;
  BitMover gather_;
  BitMover scatter_;
  ConvertRow convert_;
  bool swap_ = false;
};

struct Axis {
  CopyAxis copy;
  std::size_t original = 0;
};

/// The order in which elements are visited: rows along `inner`, cut to `lines`; next to it `second`; then the rest.
struct LoopOrder {
  std::vector<Axis> outer;
  Axis second{{1, 0, 0}, 0};
  Axis inner{{1, 0, 0}, 0};
  bool has_second = false;
  bool has_inner = false;
  std::int64_t lines = 0;
};

LoopOrder order_loops(std::span<const CopyAxis> axes, std::int64_t source_itemsize) {
  LoopOrder order;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].count != 1) order.outer.push_back({axes[i], i});
  }
  // Outer axes: the largest target stride first, so that writes walk forward; the last one is the row.
  std::stable_sort(order.outer.begin(), order.outer.end(),
                   [](const Axis& a, const Axis& b) { return a.copy.target_stride > b.copy.target_stride; });
  if (order.outer.empty()) return order;
  order.inner = order.outer.back();
  order.has_inner = true;
  order.outer.pop_back();
  order.lines = order.inner.copy.count;
  if (order.inner.copy.source_stride == source_itemsize || order.outer.empty()) return order;
  const auto near = std::min_element(order.outer.begin(), order.outer.end(), [](const Axis& a, const Axis& b) {
    return a.copy.source_stride < b.copy.source_stride;
  });
  if (near->copy.source_stride >= order.inner.copy.source_stride) return order;
  order.second = *near;
  order.has_second = true;
  order.outer.erase(near);
  order.lines = kLines;
  return order;
}

/// Visits every row; `row(source, target, strides, n)` returns something that is true when it failed.
template <class Row>
std::optional<LostValue> for_each_row(const std::byte* source, std::byte* target, std::span<const CopyAxis> axes,
                                      const LoopOrder& order, const Row& row) {
  std::vector<std::int64_t> at(order.outer.size(), 0);
  const Strides strides{order.inner.copy.source_stride, order.inner.copy.target_stride};
  const auto lost_at = [&](const LostInRow& lost, std::int64_t second, std::int64_t start) {
    std::vector<std::int64_t> index(axes.size(), 0);
    for (std::size_t i = 0; i < at.size(); ++i) index[order.outer[i].original] = at[i];
    if (order.has_second) index[order.second.original] = second;
    if (order.has_inner) index[order.inner.original] = start + lost.position;
    std::int64_t position = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) position = position * axes[i].count + index[i];
    return LostValue{position, lost.what};
  };
  while (true) {
    std::int64_t from = 0;
    std::int64_t to = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      from += at[i] * order.outer[i].copy.source_stride;
      to += at[i] * order.outer[i].copy.target_stride;
    }
    for (std::int64_t start = 0; start < order.inner.copy.count; start += std::max<std::int64_t>(order.lines, 1)) {
      const std::int64_t n = std::min(order.lines == 0 ? 1 : order.lines, order.inner.copy.count - start);
      for (std::int64_t second = 0; second < order.second.copy.count; ++second) {
        const std::byte* const s = source + from + second * order.second.copy.source_stride + start * strides.source;
        std::byte* const t = target + to + second * order.second.copy.target_stride + start * strides.target;
        if (const std::optional<LostInRow> lost = row(s, t, strides, n)) return lost_at(*lost, second, start);
      }
    }
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == order.outer[axis - 1].copy.count) at[--axis] = 0;
    if (axis == 0) return std::nullopt;
  }
}

}  // namespace

std::optional<LostValue> copy_elements(const std::byte* source, const DType& source_dtype, std::byte* target,
                                       const DType& target_dtype, std::span<const CopyAxis> axes, Casting casting) {
  if (std::any_of(axes.begin(), axes.end(), [](const CopyAxis& axis) { return axis.count == 0; })) return std::nullopt;
  const LoopOrder order = order_loops(axes, source_dtype.itemsize);
  const bool swap = !source_dtype.is_native();
  if (source_dtype.native() == target_dtype.native()) {
    const BitMover mover(source_dtype, swap);
    return for_each_row(source, target, axes, order,
                        [&](const std::byte* s, std::byte* t, Strides strides, std::int64_t n) {
                          mover(s, t, strides, n);
                          return std::optional<LostInRow>();
                        });
  }
  ConvertingMover mover(source_dtype, target_dtype, casting);
  if (swap) mover.require_gather();
  return for_each_row(source, target, axes, order, mover);
}

}  // namespace loadstone
