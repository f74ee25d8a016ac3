#include "core/tile_mover.hpp"

#include <algorithm>
#include <utility>

namespace loadstone {
namespace {

// A tile of longer runs, which are copied one by one: enough of them to make loops worth their start, in the
// first-level cache.
constexpr std::int64_t kLongRowBytes = 512;
constexpr std::int64_t kLongTileBytes = std::int64_t{16} << 10;

/// Calls `use(first, n, step)` for each longest part of `places` that is evenly spaced.
template <class Use>
void for_each_even_part(std::span<const std::int64_t> places, const Use& use) {
  for (std::size_t first = 0; first < places.size();) {
    std::size_t end = first + 1;
    const std::int64_t step = end < places.size() ? places[end] - places[first] : 0;
    while (end < places.size() && places[end] - places[end - 1] == step) ++end;
    use(first, end - first, step);
    first = end;
  }
}

bool is_small_item(std::int64_t bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; }

}  // namespace

TileMover::TileMover(const Mover& mover, const CopyLoops& loops, std::int64_t side_bytes)
    : mover_(mover),
      loops_(loops),
      source_run_(loops.run * mover.items().source),
      target_run_(loops.run * mover.items().target),
      down_stride_(loops.down.axes().front().source_stride),
      along_stride_(loops.along.axes().front().target_stride),
      squares_(is_small_item(source_run_) && down_stride_ == source_run_),
      side_bytes_(std::clamp(side_bytes, kLine, kMostColumns)) {}

bool TileMover::operator()(std::byte* target, const std::byte* source) {
  Columns* now = &columns_[0];
  Columns* next = &columns_[1];
  bool lost = false;
  for (look_at(*now, target, source, 0); now->count > 0; std::swap(now, next)) {
    look_at(*next, target, source, now->first + now->count);
    lost |= move_columns(target + now->first * along_stride_, *now, *next);
  }
  return lost;
}

/// As many columns as a tile has, the first time up to where the first row meets a cache line of the target; none at
/// the end.
void TileMover::look_at(Columns& columns, const std::byte* target, const std::byte* source, std::int64_t first) const {
  const std::int64_t row_bytes = squares_ ? side_bytes_ : kLongRowBytes;
  std::int64_t count = std::max<std::int64_t>(1, row_bytes / std::max(source_run_, target_run_));
  const auto address = reinterpret_cast<std::uintptr_t>(target + first * along_stride_);
  const auto skew = static_cast<std::int64_t>(address % kLine);
  const bool meets = along_stride_ == target_run_ && skew % target_run_ == 0;
  if (meets) count = std::max<std::int64_t>(1, count - skew / target_run_);
  columns.first = first;
  columns.count = std::min(count, loops_.along.count() - first);
  std::array<std::int64_t, kMostColumns> offsets;
  const auto n = static_cast<std::size_t>(columns.count);
  loops_.along.offsets(first, std::span(offsets).first(n));
  for (std::size_t i = 0; i < n; ++i) columns.lines[i] = source + offsets[i];
}

bool TileMover::move_columns(std::byte* target, const Columns& columns, const Columns& next) {
  const std::int64_t pitch = columns.count * source_run_;
  const std::int64_t rows_wanted = squares_ ? side_bytes_ / source_run_ : kLongTileBytes / pitch;
  const std::int64_t most_rows = std::min({rows_wanted, kTileBytes / pitch, kMostRows});
  std::array<std::int64_t, kMostRows> places;
  bool lost = false;
  for (std::int64_t row = 0; row < loops_.down.count(); row += most_rows) {
    const std::int64_t rows = std::min(most_rows, loops_.down.count() - row);
    const auto here = std::span(places).first(static_cast<std::size_t>(rows));
    loops_.down.offsets(row, here);
    fill(lines_at(columns, row), rows);
    lost |= write(target, here, columns.count, ahead_of(columns, next, row + rows, most_rows));
  }
  return lost;
}

TileMover::Lines TileMover::lines_at(const Columns& columns, std::int64_t row) {
  const auto n = static_cast<std::size_t>(columns.count);
  for (std::size_t i = 0; i < n; ++i) lines_[i] = columns.lines[i] + row * down_stride_;
  return Lines(lines_).first(n);
}

/// The source of the tile that begins at `row`, or of the first one of the next columns.
Ahead TileMover::ahead_of(const Columns& columns, const Columns& next, std::int64_t row, std::int64_t most_rows) {
  if (down_stride_ != source_run_) return {};
  const bool below = row < loops_.down.count();
  const std::int64_t rows = std::min(most_rows, loops_.down.count() - (below ? row : 0));
  return {below ? lines_at(columns, row) : lines_at(next, 0), static_cast<std::size_t>(rows * source_run_)};
}

/// The tile in the target's order: rows without gaps between them.
void TileMover::fill(Lines lines, std::int64_t rows) {
  const auto run = static_cast<std::size_t>(source_run_);
  const std::size_t pitch = lines.size() * run;
  if (squares_) {
    return mover_.kernels().transpose(tile_.data(), pitch, lines.data(), run, static_cast<std::size_t>(rows),
                                      lines.size());
  }
  for (std::size_t column = 0; column < lines.size(); ++column) {
    mover_.kernels().runs(tile_.data() + column * run, static_cast<std::int64_t>(pitch), lines[column], down_stride_,
                          run, static_cast<std::size_t>(rows));
  }
}

bool TileMover::write(std::byte* target, Places places, std::int64_t columns, const Ahead& ahead) {
  if (along_stride_ != target_run_) return scatter(target, places, columns);
  if (!mover_.plain()) return write_changed(target, places, columns, ahead);
  put_rows(target, places, tile_.data(), columns * source_run_, ahead);
  return false;
}

/// Rows whose runs are apart in the target as well.
bool TileMover::scatter(std::byte* target, Places places, std::int64_t columns) const {
  const Runs row{loops_.run, columns, source_run_, along_stride_};
  const std::byte* from = tile_.data();
  bool lost = false;
  for (const std::int64_t place : places) {
    lost |= mover_.move_runs(target + place, from, row);
    from += columns * source_run_;
  }
  return lost;
}

/// Swapped and cast some rows at a time.
bool TileMover::write_changed(std::byte* target, Places places, std::int64_t columns, const Ahead& ahead) {
  const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(1, kChangedBytes / (columns * target_run_)));
  const auto row_elements = columns * loops_.run;
  bool lost = false;
  for (std::size_t row = 0; row < places.size(); row += at_once) {
    const std::size_t rows = std::min(at_once, places.size() - row);
    const std::byte* const from = tile_.data() + static_cast<std::int64_t>(row) * columns * source_run_;
    lost |= mover_.change(changed_.data(), from, static_cast<std::int64_t>(rows) * row_elements);
    const std::size_t first_line = ahead.lines.size() * row / places.size();
    const std::size_t end_line = ahead.lines.size() * (row + rows) / places.size();
    put_rows(target, places.subspan(row, rows), changed_.data(), columns * target_run_,
             {ahead.lines.subspan(first_line, end_line - first_line), ahead.bytes});
  }
  return lost;
}

void TileMover::put_rows(std::byte* target, Places places, const std::byte* rows, std::int64_t row_bytes,
                         const Ahead& ahead) const {
  const CopyKernels& kernels = mover_.kernels();
  const auto bytes = static_cast<std::size_t>(row_bytes);
  for_each_even_part(places, [&](std::size_t first, std::size_t n, std::int64_t step) {
    std::byte* const to = target + places[first];
    const std::byte* const from = rows + first * bytes;
    if (mover_.goes_past_cache(row_bytes)) {
      kernels.stream_runs(to, step, from, row_bytes, bytes, n, first == 0 ? ahead : Ahead{});
    } else {
      kernels.runs(to, step, from, row_bytes, bytes, n);
    }
  });
}

}  // namespace loadstone
