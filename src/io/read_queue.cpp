#include "io/read_queue.hpp"

#include <algorithm>

namespace loadstone::io {
namespace {

std::int64_t size_of(const Read& read) { return static_cast<std::int64_t>(read.destination.size()); }

// A gap is read rather than skipped while what is read stays within 1.02 of what is wanted, and while it is no page of
// its own: whoever reads it throws it away.
constexpr std::int64_t kGapShare = 50;

bool is_worth_reading(std::int64_t gap, std::int64_t skipped, std::int64_t bytes, Gaps gaps) {
  if (gaps == Gaps::mapped) return gap > 0 && gap <= kMaxMappedGapBytes;
  return gap > 0 && gap <= kMaxGapBytes && (skipped + gap) * kGapShare <= bytes - skipped;
}

bool continues(const iovec& piece, const std::byte* at) {
  return static_cast<const std::byte*>(piece.iov_base) + piece.iov_len == at;
}

}  // namespace

void ReadQueue::push(const Read& read) {
  if (size() == ring_.size()) grow();
  ring_[last_ & mask_] = {read, size_of(read)};
  ++last_;
  uncut_bytes_ += size_of(read);
}

Range ReadQueue::peek(std::int64_t max_bytes, std::size_t max_pieces, Gaps gaps) noexcept {
  const Read& first = (*this)[cursor_].read;
  Range range = {first.file, first.offset + within_, size_of(first) - within_, cursor_};
  const std::byte* end = first.destination.data() + first.destination.size();
  std::size_t pieces = 1;
  std::int64_t skipped = 0;
  for (std::uint64_t next = cursor_ + 1; next != last_; ++next) {
    const Read& read = (*this)[next].read;
    if (read.file != range.file) break;
    const std::int64_t gap = read.offset - (range.offset + range.bytes);
    if (gap != 0 && !is_worth_reading(gap, skipped, range.bytes, gaps)) {
      range.gap = gap;
      break;
    }
    pieces += (gap > 0 ? 1U : 0U) + (gap > 0 || read.destination.data() != end ? 1U : 0U);
    range.goes_on = range.bytes + gap >= max_bytes || pieces > max_pieces;
    if (range.goes_on) break;
    skipped += gap;
    end = read.destination.data() + read.destination.size();
    range.bytes += gap + size_of(read);
    ++range.reads;
  }
  range.goes_on = range.goes_on || range.bytes > max_bytes;
  range.bytes = std::min(range.bytes, max_bytes);
  return range;
}

void ReadQueue::cut(std::int64_t bytes, std::vector<iovec>& iovecs) {
  iovecs.clear();
  std::int64_t at = (*this)[cursor_].read.offset + within_;
  const std::int64_t end = at + bytes;
  while (at < end) {
    const Read& read = (*this)[cursor_].read;
    if (within_ == 0 && read.offset > at) iovecs.push_back({nullptr, static_cast<std::size_t>(read.offset - at)});
    at = read.offset + within_;
    const std::int64_t take = std::min(end - at, size_of(read) - within_);
    std::byte* const to = read.destination.data() + within_;
    if (!iovecs.empty() && iovecs.back().iov_base != nullptr && continues(iovecs.back(), to)) {
      iovecs.back().iov_len += static_cast<std::size_t>(take);
    } else {
      iovecs.push_back({to, static_cast<std::size_t>(take)});
    }
    uncut_bytes_ -= take;
    at += take;
    within_ += take;
    if (within_ < size_of(read)) break;
    within_ = 0;
    ++cursor_;
  }
}

void ReadQueue::retire() noexcept {
  while (first_ != cursor_ && ring_[first_ & mask_].missing == 0) ++first_;
}

void ReadQueue::grow() {
  std::vector<Pending> larger(ring_.size() * 2);
  const std::uint64_t larger_mask = larger.size() - 1;
  for (std::uint64_t i = first_; i != last_; ++i) larger[i & larger_mask] = ring_[i & mask_];
  ring_ = std::move(larger);
  mask_ = larger_mask;
}

}  // namespace loadstone::io
