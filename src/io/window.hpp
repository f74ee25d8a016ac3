// File windows: aligned pieces of a file for which the way of reading is chosen once.
#pragma once

#include <array>
#include <cstdint>

namespace loadstone::io {

// 16 MiB: asking about a window costs 10 to 60 us, copying it 2 ms; a mapped copy reaches 0.95 of the limit.
inline constexpr std::int64_t kWindowBytes = std::int64_t{16} << 20;
inline constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
inline constexpr int kPieces = static_cast<int>(kWindowBytes / kPieceBytes);

/// What is known about a piece of a window, and so how it is read.
enum class PieceState : std::uint8_t {
  busy,      ///< dirty or under writeback: buffered
  resident,  ///< mapped copy if the destination's pages are there, else buffered
  cold,      ///< direct where allowed, else buffered with read-ahead
  half,      ///< mostly resident: buffered
  ask,       ///< nobody tells: the next request is a real one that must not block, and its answer decides
};

struct WindowWays {
  std::int64_t window = -1;  ///< file offset / kWindowBytes; -1: none yet
  std::array<PieceState, kPieces> pieces{};
};

/// A stretch of a window whose pieces are all alike.
struct Stretch {
  PieceState state = PieceState::cold;
  std::int64_t end = 0;  ///< file offset
};

/// From `offset`, which lies in the window, to where the state changes or the window ends.
Stretch stretch_at(const WindowWays& ways, std::int64_t offset) noexcept;

}  // namespace loadstone::io
