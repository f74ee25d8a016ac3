#include "plan/pieces.hpp"

#include "core/checked.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace loadstone::plan {
namespace {

// A run of this length is an efficient request by itself (64 KiB: half the device's rate at 30 us a request and 4 GB/s,
// and requests overlap): it is not joined over a gap, and lands in place rather than in a longer staged one.
constexpr std::int64_t kLongRunBytes = std::int64_t{64} * 1024;
// Shorter runs are joined over gaps of at most a fiftieth: bytes read / bytes wanted stays within 1.02.
constexpr std::int64_t kGapShare = 50;
// Below this a request moves next to nothing: larger gaps are read as well (Sizes::gap_bytes), and staged.
constexpr std::int64_t kTinyRunBytes = 256;
// Transposed pieces: long enough in the file for a request to be worth its cost, in the tile for full cache lines.
constexpr std::int64_t kFileRunBytes = std::int64_t{16} * 1024;
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kTileRunBytes = 256;
// Cuts at multiples of this keep direct reads whole (IO-18).
constexpr std::int64_t kPageBytes = 4096;

bool worth_joining(std::int64_t gap, std::int64_t run_bytes, std::int64_t gap_bytes) {
  if (gap == 0) return true;
  if (run_bytes < kTinyRunBytes && gap <= gap_bytes) return true;
  return run_bytes < kLongRunBytes && gap <= run_bytes / kGapShare;
}

/// Counts that a piece should have at least, so that its runs in the tile are long: axes by their stride in the tile,
/// until the goal is met. All 1 where file and tile agree on the innermost axis.
std::vector<std::int64_t> counts_across(const Move& move, std::int64_t limit) {
  std::vector<std::int64_t> across(move.axes.size(), 1);
  std::vector<std::size_t> by_tile(move.axes.size());
  std::iota(by_tile.begin(), by_tile.end(), std::size_t{0});
  std::sort(by_tile.begin(), by_tile.end(),
            [&](std::size_t a, std::size_t b) { return move.axes[a].tile_stride < move.axes[b].tile_stride; });
  const auto least = std::max<std::int64_t>(1, kLineBytes / move.tile_itemsize);
  const auto most = std::max<std::int64_t>(1, kTileRunBytes / move.tile_itemsize);
  std::int64_t goal = std::clamp(limit / kFileRunBytes, least, most);
  goal = std::min(goal, std::max<std::int64_t>(1, limit / move.file_itemsize));
  for (const std::size_t axis : by_tile) {
    if (axis + 1 == move.axes.size() || goal <= 1) break;
    across[axis] = std::min(goal, move.axes[axis].count);
    if (across[axis] < move.axes[axis].count) break;
    goal /= across[axis];
  }
  return across;
}

/// Bytes of a staged piece as it grows outwards: joined axes include their gaps, others repeat what is inside.
struct Growing {
  std::int64_t bytes = 0;
  bool whole = true;  ///< all axes so far are taken whole

  [[nodiscard]] std::int64_t fits(const MoveAxis& axis, bool joined, std::int64_t limit) const {
    if (!joined) return limit / bytes;
    return limit < bytes ? 1 : (limit - bytes) / axis.file_stride + 1;
  }
  void take(const MoveAxis& axis, bool joined, std::int64_t count) {
    bytes = joined ? (count - 1) * axis.file_stride + bytes : count * bytes;
    whole = whole && count == axis.count;
  }
};

/// Counts of a full staged piece: filled from the innermost axis outwards, leaving room for what must go across.
std::vector<std::int64_t> staged_counts(const Move& move, const RunShape& run, std::int64_t limit) {
  std::vector<std::int64_t> counts = counts_across(move, limit);
  std::int64_t outside = std::accumulate(counts.begin(), counts.end(), std::int64_t{1}, std::multiplies<>());
  Growing piece{move.file_itemsize, true};
  for (std::size_t axis = counts.size(); axis-- > 0;) {
    outside /= counts[axis];
    const bool joined = piece.whole && counts.size() - 1 - axis < static_cast<std::size_t>(run.axes);
    const std::int64_t room = piece.fits(move.axes[axis], joined, limit / outside);
    counts[axis] = std::clamp<std::int64_t>(room, 1, move.axes[axis].count);
    piece.take(move.axes[axis], joined, counts[axis]);
  }
  return counts;
}

/// Counts of a full in-place piece: everything if a run fits a request, else parts of one run.
std::vector<std::int64_t> in_place_counts(const Move& move, const RunShape& run, std::int64_t limit) {
  std::vector<std::int64_t> counts(move.axes.size(), 1);
  if (run.bytes > limit && run.axes > 0) {
    counts.back() = std::max<std::int64_t>(1, limit / move.file_itemsize);
    return counts;
  }
  for (std::size_t axis = 0; axis < counts.size(); ++axis) counts[axis] = move.axes[axis].count;
  return counts;
}

/// Makes the pieces along an axis about equal, so that none is a sliver.
void even_out(std::int64_t& per_piece, std::int64_t count) { per_piece = ceil_div(count, ceil_div(count, per_piece)); }

}  // namespace

std::int64_t Move::elements() const {
  std::int64_t n = 1;
  for (const MoveAxis& axis : axes) n *= axis.count;
  return n;
}

std::int64_t Piece::run_offset(std::int64_t i) const {
  std::int64_t offset = move.file_offset;
  for (std::size_t axis = move.axes.size() - static_cast<std::size_t>(run_axes); axis-- > 0;) {
    offset += i % move.axes[axis].count * move.axes[axis].file_stride;
    i /= move.axes[axis].count;
  }
  return offset;
}

std::int64_t Piece::run_tile_offset(std::int64_t i) const {
  std::int64_t offset = move.tile_offset;
  for (std::size_t axis = move.axes.size() - static_cast<std::size_t>(run_axes); axis-- > 0;) {
    offset += i % move.axes[axis].count * move.axes[axis].tile_stride;
    i /= move.axes[axis].count;
  }
  return offset;
}

std::vector<CopyAxis> Piece::copy_axes() const {
  std::vector<CopyAxis> copy(move.axes.size());
  const std::size_t outer = move.axes.size() - static_cast<std::size_t>(run_axes);
  std::int64_t packed = run_bytes;
  for (std::size_t axis = move.axes.size(); axis-- > 0;) {
    const MoveAxis& from = move.axes[axis];
    copy[axis] = {from.count, axis < outer ? packed : from.file_stride, from.tile_stride};
    if (axis < outer) packed *= from.count;
  }
  return copy;
}

RunShape run_shape(const Move& move, bool convert, std::int64_t gap_bytes) {
  RunShape run{0, move.file_itemsize, !convert && move.file_itemsize == move.tile_itemsize};
  for (std::size_t at = move.axes.size(); at-- > 0;) {
    const MoveAxis& axis = move.axes[at];
    const std::int64_t gap = axis.file_stride - run.bytes;
    const bool lands = run.in_place && gap == 0 && axis.tile_stride == run.bytes;
    if (!lands) {
      const bool long_in_place = run.in_place && run.bytes >= kLongRunBytes;
      if (long_in_place || !worth_joining(gap, run.bytes, gap_bytes)) break;
    }
    run.in_place = lands;
    run.bytes += (axis.count - 1) * axis.file_stride;
    ++run.axes;
  }
  return run;
}

PieceCursor::PieceCursor(Move move, bool convert, Sizes sizes)
    : move_(std::move(move)), run_(run_shape(move_, convert, sizes.gap_bytes)), at_(move_.axes.size()) {
  assert(move_.elements() > 0 && move_.file_itemsize > 0);
  limit_ = run_.in_place ? sizes.request_bytes : sizes.block_bytes;
  per_piece_ = run_.in_place ? in_place_counts(move_, run_, limit_) : staged_counts(move_, run_, limit_);
  here_.resize(per_piece_.size());
  if (per_piece_.empty()) return;
  const MoveAxis& inner = move_.axes.back();
  const bool alone = std::all_of(per_piece_.begin(), per_piece_.end() - 1, [](std::int64_t n) { return n == 1; });
  cut_aligned_ = alone && per_piece_.back() < inner.count && inner.file_stride == move_.file_itemsize;
  for (std::size_t axis = 0; axis < per_piece_.size(); ++axis) {
    if (!cut_aligned_) even_out(per_piece_[axis], move_.axes[axis].count);
  }
}

/// Elements up to the next multiple of the limit in the file.
std::int64_t PieceCursor::aligned_count() const {
  std::int64_t offset = move_.file_offset;
  for (std::size_t axis = 0; axis < at_.size(); ++axis) offset += at_[axis] * move_.axes[axis].file_stride;
  const std::int64_t unit = limit_ < kPageBytes ? limit_ : round_down(limit_, kPageBytes);
  const std::int64_t room = unit - offset % unit;
  const std::int64_t count = room / move_.file_itemsize;
  return count > 0 ? std::min(count, per_piece_.back()) : per_piece_.back();
}

std::int64_t PieceCursor::count_here(std::size_t axis) const {
  const bool aligned = cut_aligned_ && axis + 1 == at_.size();
  return std::min(aligned ? aligned_count() : per_piece_[axis], move_.axes[axis].count - at_[axis]);
}

Piece PieceCursor::piece_here(const std::vector<std::int64_t>& counts) const {
  Piece piece;
  piece.move = move_;
  piece.move.axes.clear();
  piece.run_bytes = move_.file_itemsize;
  piece.runs = 1;
  piece.in_place = run_.in_place;
  bool in_run = true;
  int left = run_.axes;
  for (std::size_t at = counts.size(); at-- > 0;) {
    const MoveAxis& axis = move_.axes[at];
    piece.move.file_offset += at_[at] * axis.file_stride;
    piece.move.tile_offset += at_[at] * axis.tile_stride;
    in_run = in_run && left-- > 0;
    if (counts[at] > 1) {
      piece.move.axes.push_back({counts[at], axis.file_stride, axis.tile_stride});
      if (in_run) ++piece.run_axes;
    }
    if (in_run) {
      piece.run_bytes += (counts[at] - 1) * axis.file_stride;
    } else {
      piece.runs *= counts[at];
    }
    // Beyond a part of an axis lie bytes that other pieces read: no run goes over those.
    in_run = in_run && counts[at] == axis.count;
  }
  std::reverse(piece.move.axes.begin(), piece.move.axes.end());
  return piece;
}

void PieceCursor::advance(const std::vector<std::int64_t>& counts) {
  for (std::size_t axis = counts.size(); axis-- > 0;) {
    at_[axis] += counts[axis];
    if (at_[axis] < move_.axes[axis].count) return;
    at_[axis] = 0;
  }
  done_ = true;
}

std::optional<Piece> PieceCursor::next() {
  if (done_) return std::nullopt;
  for (std::size_t axis = 0; axis < here_.size(); ++axis) here_[axis] = count_here(axis);
  Piece piece = piece_here(here_);
  advance(here_);
  return piece;
}

void for_each_piece(const Move& move, bool convert, const Sizes& sizes, const std::function<void(const Piece&)>& use) {
  PieceCursor cursor(move, convert, sizes);
  while (const auto piece = cursor.next()) use(*piece);
}

}  // namespace loadstone::plan
