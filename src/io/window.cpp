#include "io/window.hpp"

namespace loadstone::io {

Stretch stretch_at(const WindowWays& ways, std::int64_t offset) noexcept {
  const std::int64_t start = ways.window * kWindowBytes;
  auto piece = static_cast<std::size_t>((offset - start) / kPieceBytes);
  const PieceState state = ways.pieces[piece];
  while (piece < kPieces && ways.pieces[piece] == state) ++piece;
  return {state, start + static_cast<std::int64_t>(piece) * kPieceBytes};
}

}  // namespace loadstone::io
