#include "io/read_queue.hpp"

#include <algorithm>

namespace loadstone::io {
namespace {

std::int64_t size_of(const Read& read) { return static_cast<std::int64_t>(read.destination.size()); }

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

Range ReadQueue::peek(std::int64_t max_bytes, std::size_t max_pieces) noexcept {
  const Read& first = (*this)[cursor_].read;
  Range range = {first.file, first.offset + within_, size_of(first) - within_, cursor_};
  const std::byte* end = first.destination.data() + first.destination.size();
  std::size_t pieces = 1;
  for (std::uint64_t next = cursor_ + 1; next != last_ && range.bytes < max_bytes; ++next) {
    const Read& read = (*this)[next].read;
    if (read.file != range.file) break;
    if (read.offset != range.offset + range.bytes) {
      range.gap = read.offset - (range.offset + range.bytes);
      break;
    }
    if (read.destination.data() != end && ++pieces > max_pieces) break;
    end = read.destination.data() + read.destination.size();
    range.bytes += size_of(read);
  }
  range.bytes = std::min(range.bytes, max_bytes);
  return range;
}

void ReadQueue::cut(std::int64_t bytes, std::vector<iovec>& iovecs) {
  iovecs.clear();
  uncut_bytes_ -= bytes;
  while (bytes > 0) {
    const Read& read = (*this)[cursor_].read;
    const std::int64_t take = std::min(bytes, size_of(read) - within_);
    std::byte* const at = read.destination.data() + within_;
    if (!iovecs.empty() && continues(iovecs.back(), at)) {
      iovecs.back().iov_len += static_cast<std::size_t>(take);
    } else {
      iovecs.push_back({at, static_cast<std::size_t>(take)});
    }
    bytes -= take;
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
