#include "core/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/convert.hpp"
#include "core/copy_loops.hpp"
#include "core/lost_value.hpp"

namespace loadstone {
namespace {

// Buffers that stay in the first-level cache (32 KiB and more): a tile of 16 KiB, and one row under conversion.
constexpr std::int64_t kTileBytes = std::int64_t{16} << 10;
constexpr std::int64_t kRowBytes = std::int64_t{4} << 10;
// A row of a tile: eight cache lines of the target at once, of which two may be partly another tile's.
constexpr std::int64_t kTileRowBytes = 512;
constexpr std::int64_t kMostColumns = kTileRowBytes;
constexpr std::int64_t kMostRows = kTileBytes / 64;
constexpr std::int64_t kLine = 64;

using Row = std::array<std::byte, kRowBytes>;

/// A memory-order-free part of a copy: dense elements to dense elements, swapped and cast on the way.
class Mover {
 public:
  Mover(const DType& source, const DType& target, Casting casting, const CopyKernels& kernels, bool streaming)
      : kernels_(kernels),
        items_{source.itemsize, target.itemsize},
        unit_(source.is_native() ? 1 : static_cast<std::size_t>(source.swap_unit())),
        convert_(source.native() == target.native() ? nullptr : find_convert_row(source, target, casting)),
        streaming_(streaming) {}

  [[nodiscard]] const CopyKernels& kernels() const noexcept { return kernels_; }
  [[nodiscard]] const ItemSizes& items() const noexcept { return items_; }
  [[nodiscard]] bool streaming() const noexcept { return streaming_; }
  /// Whether bytes are moved as they are.
  [[nodiscard]] bool plain() const noexcept { return unit_ == 1 && convert_ == nullptr; }

  /// True if a value was lost.
  bool operator()(std::byte* target, const std::byte* source, std::int64_t n) const {
    if (convert_ != nullptr) return convert(target, source, n);
    const auto bytes = static_cast<std::size_t>(n * items_.source);
    if (unit_ > 1) {
      swap(target, source, bytes);
    } else {
      put(target, source, bytes);
    }
    return false;
  }

 private:
  [[nodiscard]] bool goes_past_cache(std::size_t bytes) const { return streaming_ && bytes >= kStreamRunBytes; }

  void put(std::byte* target, const std::byte* source, std::size_t bytes) const {
    if (bytes < kStreamRunBytes) return kernels_.runs(target, 0, source, 0, bytes, 1);
    if (streaming_) return kernels_.stream(target, source, bytes);
    std::memcpy(target, source, bytes);
  }

  void swap(std::byte* target, const std::byte* source, std::size_t bytes) const {
    if (!goes_past_cache(bytes)) return kernels_.swap(target, source, bytes, unit_);
    alignas(kLine) Row swapped;
    const std::size_t step = kRowBytes / unit_ * unit_;
    for (std::size_t at = 0; at < bytes; at += step) {
      const std::size_t part = std::min(step, bytes - at);
      kernels_.swap(swapped.data(), source + at, part, unit_);
      kernels_.stream(target + at, swapped.data(), part);
    }
  }

  bool convert(std::byte* target, const std::byte* source, std::int64_t n) const {
    alignas(kLine) Row swapped;
    alignas(kLine) Row converted;
    const std::int64_t step = kRowBytes / std::max(items_.source, items_.target);
    bool lost = false;
    for (std::int64_t at = 0; at < n; at += step) {
      const std::int64_t part = std::min(step, n - at);
      const std::byte* from = source + at * items_.source;
      if (unit_ > 1) {
        kernels_.swap(swapped.data(), from, static_cast<std::size_t>(part * items_.source), unit_);
        from = swapped.data();
      }
      std::byte* const to = target + at * items_.target;
      const auto bytes = static_cast<std::size_t>(part * items_.target);
      const bool past = goes_past_cache(bytes);
      lost |= convert_(from, past ? converted.data() : to, part);
      if (past) kernels_.stream(to, converted.data(), bytes);
    }
    return lost;
  }

  const CopyKernels& kernels_;
  ItemSizes items_;
  std::size_t unit_;
  ConvertRow convert_;
  bool streaming_;
};

/// Runs at even distances on both sides.
struct Runs {
  std::int64_t elements = 0;  ///< of one
  std::int64_t n = 0;
  std::int64_t source_stride = 0;
  std::int64_t target_stride = 0;
};

/// Runs that are gathered, moved and scattered through rows in the first-level cache.
bool move_short_runs(const Mover& move, std::byte* target, const std::byte* source, const Runs& runs) {
  const CopyKernels& kernels = move.kernels();
  const std::int64_t source_run = runs.elements * move.items().source;
  const std::int64_t target_run = runs.elements * move.items().target;
  const bool gathers = runs.source_stride != source_run;
  const bool scatters = runs.target_stride != target_run;
  alignas(kLine) Row gathered;
  alignas(kLine) Row moved;
  const std::int64_t step = kRowBytes / std::max(source_run, target_run);
  bool lost = false;
  for (std::int64_t at = 0; at < runs.n; at += step) {
    const std::int64_t part = std::min(step, runs.n - at);
    const auto count = static_cast<std::size_t>(part);
    const std::byte* from = source + at * runs.source_stride;
    std::byte* const to = target + at * runs.target_stride;
    if (gathers) {
      kernels.runs(gathered.data(), source_run, from, runs.source_stride, static_cast<std::size_t>(source_run), count);
      from = gathered.data();
    }
    lost |= move(scatters ? moved.data() : to, from, part * runs.elements);
    if (scatters) {
      kernels.runs(to, runs.target_stride, moved.data(), target_run, static_cast<std::size_t>(target_run), count);
    }
  }
  return lost;
}

bool move_runs(const Mover& move, std::byte* target, const std::byte* source, const Runs& runs) {
  const std::int64_t bytes = runs.elements * std::max(move.items().source, move.items().target);
  if (runs.n == 1 || bytes >= static_cast<std::int64_t>(kStreamRunBytes)) {
    bool lost = false;
    for (std::int64_t i = 0; i < runs.n; ++i) {
      lost |= move(target + i * runs.target_stride, source + i * runs.source_stride, runs.elements);
    }
    return lost;
  }
  if (move.plain() && (!move.streaming() || runs.target_stride != bytes)) {
    move.kernels().runs(target, runs.target_stride, source, runs.source_stride, static_cast<std::size_t>(bytes),
                        static_cast<std::size_t>(runs.n));
    return false;
  }
  return move_short_runs(move, target, source, runs);
}

/// Tiles: filled in the target's order from lines of the source, moved row by row.
class TileMover {
 public:
  TileMover(const Mover& move, const CopyLoops& loops)
      : move_(move),
        loops_(loops),
        source_run_(loops.run * move.items().source),
        target_run_(loops.run * move.items().target),
        down_stride_(loops.down.axes().front().source_stride),
        along_stride_(loops.along.axes().front().target_stride),
        most_columns_(std::max<std::int64_t>(1, kTileRowBytes / std::max(source_run_, target_run_))) {}

  bool operator()(std::byte* target, const std::byte* source) {
    bool lost = false;
    for (std::int64_t column = 0; column < loops_.along.count();) {
      const std::int64_t columns = std::min(columns_here(target, column), loops_.along.count() - column);
      std::array<std::int64_t, kMostColumns> offsets;
      loops_.along.offsets(column, std::span(offsets).first(static_cast<std::size_t>(columns)));
      for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) lines_[i] = source + offsets[i];
      lost |= move_columns(target + column * along_stride_, columns);
      column += columns;
    }
    return lost;
  }

 private:
  /// Columns up to where the first row meets a cache line of the target.
  [[nodiscard]] std::int64_t columns_here(const std::byte* target, std::int64_t column) const {
    const auto address = reinterpret_cast<std::uintptr_t>(target + column * along_stride_);
    const auto skew = static_cast<std::int64_t>(address % kLine);
    if (along_stride_ != target_run_ || skew % target_run_ != 0) return most_columns_;
    return std::max<std::int64_t>(1, most_columns_ - skew / target_run_);
  }

  bool move_columns(std::byte* target, std::int64_t columns) {
    const std::int64_t pitch = (columns * source_run_ + kLine - 1) / kLine * kLine;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a column has at least one byte, so the pitch is at least a line
    const std::int64_t most_rows = std::min(kMostRows, kTileBytes / pitch);
    std::array<std::int64_t, kMostRows> places;
    bool lost = false;
    for (std::int64_t row = 0; row < loops_.down.count(); row += most_rows) {
      const std::int64_t rows = std::min(most_rows, loops_.down.count() - row);
      loops_.down.offsets(row, std::span(places).first(static_cast<std::size_t>(rows)));
      fill(row, rows, columns, pitch);
      for (std::int64_t i = 0; i < rows; ++i) {
        lost |=
            move_runs(move_, target + places[static_cast<std::size_t>(i)], tile_.data() + i * pitch, row_of(columns));
      }
    }
    return lost;
  }

  /// A row of a tile as runs: one if the target is dense as well.
  [[nodiscard]] Runs row_of(std::int64_t columns) const {
    if (along_stride_ == target_run_) return {loops_.run * columns, 1, 0, 0};
    return {loops_.run, columns, source_run_, along_stride_};
  }

  void fill(std::int64_t row, std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
    const std::int64_t first = row * down_stride_;
    const auto run = static_cast<std::size_t>(source_run_);
    const bool is_square = source_run_ <= 16 && (run & (run - 1)) == 0;
    if (is_square && down_stride_ == source_run_) {
      std::array<const std::byte*, kMostColumns> lines;
      for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) lines[i] = lines_[i] + first;
      return move_.kernels().transpose(tile_.data(), static_cast<std::size_t>(pitch), lines.data(), run,
                                       static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    }
    for (std::int64_t column = 0; column < columns; ++column) {
      move_.kernels().runs(tile_.data() + column * source_run_, pitch, lines_[static_cast<std::size_t>(column)] + first,
                           down_stride_, run, static_cast<std::size_t>(rows));
    }
  }

  const Mover& move_;
  const CopyLoops& loops_;
  std::int64_t source_run_;
  std::int64_t target_run_;
  std::int64_t down_stride_;
  std::int64_t along_stride_;
  std::int64_t most_columns_;
  std::array<const std::byte*, kMostColumns> lines_{};
  alignas(kLine) std::array<std::byte, kTileBytes> tile_;
};

/// Calls `part(target, source)` for each place of the outer axes; true if any of the calls was.
template <class Part>
bool for_each_place(std::byte* target, const std::byte* source, const std::vector<CopyAxis>& outer, Part& part) {
  std::vector<std::int64_t> at(outer.size(), 0);
  bool lost = false;
  while (true) {
    lost |= part(target, source);
    std::size_t axis = at.size();
    while (axis > 0) {
      const CopyAxis& step = outer[axis - 1];
      source += step.source_stride;
      target += step.target_stride;
      if (++at[axis - 1] < step.count) break;
      source -= step.count * step.source_stride;
      target -= step.count * step.target_stride;
      at[--axis] = 0;
    }
    if (axis == 0) return lost;
  }
}

bool carry_out(const Mover& move, std::byte* target, const std::byte* source, const CopyLoops& loops) {
  if (loops.tiled) {
    TileMover tiles(move, loops);
    return for_each_place(target, source, loops.outer, tiles);
  }
  Runs runs{loops.run, 1, 0, 0};
  if (!loops.along.axes().empty()) {
    const CopyAxis& axis = loops.along.axes().front();
    runs = {loops.run, axis.count, axis.source_stride, axis.target_stride};
  }
  const auto rows = [&](std::byte* to, const std::byte* from) { return move_runs(move, to, from, runs); };
  return for_each_place(target, source, loops.outer, rows);
}

}  // namespace

std::optional<LostValue> copy_elements(const std::byte* source, const DType& source_dtype, std::byte* target,
                                       const DType& target_dtype, std::span<const CopyAxis> axes, Casting casting,
                                       const CopyWay& way) {
  std::int64_t bytes = target_dtype.itemsize;
  for (const CopyAxis& axis : axes) bytes *= axis.count;
  if (bytes == 0) return std::nullopt;
  const auto total = static_cast<std::size_t>(std::max(bytes, way.total_bytes));
  const bool streaming = static_cast<std::size_t>(bytes) >= kFencedBytes && total > stream_total_bytes();
  const Mover move(source_dtype, target_dtype, casting, *way.kernels, streaming);
  const bool lost = carry_out(move, target, source, order_loops(axes, move.items()));
  if (streaming) way.kernels->fence();
  if (!lost) return std::nullopt;
  return find_lost_value(source, source_dtype, target_dtype, axes, casting);
}

}  // namespace loadstone
