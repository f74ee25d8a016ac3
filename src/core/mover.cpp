#include "core/mover.hpp"

#include <algorithm>
#include <cstring>

namespace loadstone {
namespace {

constexpr std::size_t kLine = 64;

// One row under conversion, and the row that it is gathered in, stay in the first-level cache (32 KiB and more) beside
// what they are read from.
constexpr std::int64_t kRowBytes = std::int64_t{4} << 10;

using Row = std::array<std::byte, kRowBytes>;

}  // namespace

Mover::Mover(const DType& source, const DType& target, Casting casting, const CopyWay& way, bool streaming)
    : kernels_(*way.kernels),
      items_{source.itemsize, target.itemsize},
      unit_(source.is_native() ? 1 : static_cast<std::size_t>(source.swap_unit())),
      convert_(source.native() == target.native() ? nullptr : find_convert_row(source, target, casting)),
      stream_run_bytes_(std::min(way.thresholds.stream_run_bytes, kRowBytes)),
      gathered_run_bytes_(std::min(
          way.thresholds.gathered_run_bytes > 0 ? way.thresholds.gathered_run_bytes : gathered_run_bytes(kernels_),
          kRowBytes)),
      streaming_(streaming) {}

void Mover::put(std::byte* target, const std::byte* source, std::size_t bytes) const {
  if (static_cast<std::int64_t>(bytes) < stream_run_bytes_) return kernels_.runs(target, 0, source, 0, bytes, 1);
  if (streaming_) return kernels_.stream(target, source, bytes);
  std::memcpy(target, source, bytes);
}

bool Mover::change(std::byte* target, const std::byte* source, std::int64_t n) const {
  if (unit_ == 1) return convert_(source, target, n);
  if (convert_ == nullptr) {
    kernels_.swap(target, source, static_cast<std::size_t>(n * items_.source), unit_);
    return false;
  }
  alignas(kLine) Row swapped;
  const std::int64_t step = kRowBytes / items_.source;
  bool lost = false;
  for (std::int64_t at = 0; at < n; at += step) {
    const std::int64_t part = std::min(step, n - at);
    const auto bytes = static_cast<std::size_t>(part * items_.source);
    kernels_.swap(swapped.data(), source + at * items_.source, bytes, unit_);
    lost |= convert_(swapped.data(), target + at * items_.target, part);
  }
  return lost;
}

/// Swapped in the first-level cache, then put past it: by words, since an item may be longer than a row.
void Mover::swap_by_rows(std::byte* target, const std::byte* source, std::size_t bytes) const {
  alignas(kLine) Row swapped;
  const std::size_t step = kRowBytes / unit_ * unit_;
  for (std::size_t at = 0; at < bytes; at += step) {
    const std::size_t part = std::min(step, bytes - at);
    kernels_.swap(swapped.data(), source + at, part, unit_);
    kernels_.stream(target + at, swapped.data(), part);
  }
}

bool Mover::convert_by_rows(std::byte* target, const std::byte* source, std::int64_t n) const {
  alignas(kLine) Row converted;
  const std::int64_t step = kRowBytes / items_.target;
  bool lost = false;
  for (std::int64_t at = 0; at < n; at += step) {
    const std::int64_t part = std::min(step, n - at);
    lost |= change(converted.data(), source + at * items_.source, part);
    kernels_.stream(target + at * items_.target, converted.data(), static_cast<std::size_t>(part * items_.target));
  }
  return lost;
}

bool Mover::move(std::byte* target, const std::byte* source, std::int64_t n) const {
  if (plain()) {
    put(target, source, static_cast<std::size_t>(n * items_.source));
    return false;
  }
  if (!goes_past_cache(n * items_.target)) return change(target, source, n);
  if (convert_ != nullptr) return convert_by_rows(target, source, n);
  swap_by_rows(target, source, static_cast<std::size_t>(n * items_.source));
  return false;
}

/// Runs that are gathered, moved and scattered through rows in the first-level cache.
bool Mover::move_short_runs(std::byte* target, const std::byte* source, const Runs& runs) const {
  const std::int64_t source_run = runs.elements * items_.source;
  const std::int64_t target_run = runs.elements * items_.target;
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
      kernels_.runs(gathered.data(), source_run, from, runs.source_stride, static_cast<std::size_t>(source_run), count);
      from = gathered.data();
    }
    if (!scatters) {
      lost |= move(to, from, part * runs.elements);
    } else {
      lost |= change(moved.data(), from, part * runs.elements);  // plain runs are not scattered by rows
      kernels_.runs(to, runs.target_stride, moved.data(), target_run, static_cast<std::size_t>(target_run), count);
    }
  }
  return lost;
}

bool Mover::move_runs(std::byte* target, const std::byte* source, const Runs& runs) const {
  const std::int64_t bytes = runs.elements * std::max(items_.source, items_.target);
  const bool dense = plain() && runs.target_stride == bytes;
  const std::int64_t long_bytes = dense && streaming_ ? gathered_run_bytes_ : stream_run_bytes_;
  if (plain() && streaming_ && bytes >= long_bytes) {
    kernels_.stream_runs(target, runs.target_stride, source, runs.source_stride, static_cast<std::size_t>(bytes),
                         static_cast<std::size_t>(runs.n), {});
    return false;
  }
  if (runs.n == 1 || bytes >= long_bytes) {
    bool lost = false;
    for (std::int64_t i = 0; i < runs.n; ++i) {
      lost |= move(target + i * runs.target_stride, source + i * runs.source_stride, runs.elements);
    }
    return lost;
  }
  if (plain() && !(streaming_ && dense)) {
    kernels_.runs(target, runs.target_stride, source, runs.source_stride, static_cast<std::size_t>(bytes),
                  static_cast<std::size_t>(runs.n));
    return false;
  }
  return move_short_runs(target, source, runs);
}

}  // namespace loadstone
