// The reads that have been pulled from the source and are not done: in pull order, each with the bytes it still lacks.
#pragma once

#include "io/engine.hpp"

#include <sys/uio.h>

#include <cstdint>
#include <vector>

namespace loadstone::io {

/// Gaps of up to this are read together with what lies around them, while they are few: a fiftieth of what is wanted.
inline constexpr std::int64_t kMaxGapBytes = 4096;
/// Gaps of up to this are mapped together with what lies around them, however many: 70 ns a page, half a microsecond
/// for another system call.
inline constexpr std::int64_t kMaxMappedGapBytes = 16384;

/// Which gaps between reads a range takes in.
enum class Gaps : std::uint8_t { read, mapped };

/// A contiguous range of one file that the next request may cover. Its first and its last byte are wanted.
struct Range {
  std::int64_t file = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;        ///< those of gaps that are read as well included
  std::uint64_t first_read = 0;  ///< sequence number of the read that holds its first byte
  std::size_t reads = 1;         ///< that it holds, the last one perhaps in part
  std::int64_t gap = -1;         ///< bytes to the next read of the same file, if it is known and does not touch
  bool goes_on = false;          ///< what follows would have joined, had the limits allowed it
};

/// A ring that grows to the longest reordering seen, so that the steady state allocates nothing.
///
///   done   | in flight                  | pulled, not cut yet |
///   -------+----------------------------+---------------------+--> sequence numbers
///        first_                 cursor_ (+ within_)         last_
class ReadQueue {
 public:
  struct Pending {
    Read read;
    std::int64_t missing = 0;
  };

  [[nodiscard]] bool empty() const noexcept { return first_ == last_; }
  [[nodiscard]] bool all_cut() const noexcept { return cursor_ == last_; }
  [[nodiscard]] std::uint64_t uncut() const noexcept { return last_ - cursor_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return last_ - first_; }
  [[nodiscard]] std::int64_t uncut_bytes() const noexcept { return uncut_bytes_; }
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
  Pending& operator[](std::uint64_t sequence) noexcept { return ring_[sequence & mask_]; }

  void push(const Read& read);
  /// The longest range at the cursor that touches on in the file, or nearly so: over short
  /// gaps, as they are read or mapped. At most `max_bytes` over `max_pieces` destinations, each gap one of them.
  [[nodiscard]] Range peek(std::int64_t max_bytes, std::size_t max_pieces, Gaps gaps = Gaps::read) noexcept;
  /// Cuts off a range that peek() gave, or the start of one without gaps: destinations go into `iovecs`, merged where
  /// they touch, gaps as pieces without an address.
  void cut(std::int64_t bytes, std::vector<iovec>& iovecs);
  /// Forgets what is done at the front.
  void retire() noexcept;

 private:
  void grow();
  std::vector<Pending> ring_ = std::vector<Pending>(256);
  std::uint64_t mask_ = 255;
  std::uint64_t first_ = 0;
  std::uint64_t cursor_ = 0;
  std::uint64_t last_ = 0;
  std::int64_t within_ = 0;  // bytes of the cursor's read that have been cut
  std::int64_t uncut_bytes_ = 0;
};

}  // namespace loadstone::io
