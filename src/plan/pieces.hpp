// Moves and pieces: which elements of a shard go where in a tile, and the byte ranges by which they are read.
#pragma once

#include "core/transfer.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace loadstone::plan {

/// One axis of a strided move between a file and a tile, in storage order (outermost first). Strides are in bytes and
/// positive in the file; a count of 1 has been dropped, mergeable axes have been merged.
struct MoveAxis {
  std::int64_t count = 0;
  std::int64_t file_stride = 0;
  std::int64_t tile_stride = 0;
  bool operator==(const MoveAxis&) const = default;
};

/// A strided set of elements of one chain of shards and where each goes in the tile.
struct Move {
  std::int64_t shard = 0;        ///< the first of the chain
  std::int64_t file_offset = 0;  ///< of the first element
  std::int64_t tile_offset = 0;  ///< bytes from the start of the tile, of the first element, in the result's itemsize
  std::int64_t file_itemsize = 0;
  std::int64_t tile_itemsize = 0;
  std::vector<MoveAxis> axes;
  bool operator==(const Move&) const = default;

  [[nodiscard]] std::int64_t elements() const;
  /// Bytes of the file that are wanted.
  [[nodiscard]] std::int64_t wanted_bytes() const { return elements() * file_itemsize; }
};

/// A Move cut small: read as `runs` byte ranges of `run_bytes`, packed one after the other into one staging block, or
/// (in place) straight into the tile.
struct Piece {
  Move move;                   ///< the elements of this piece
  std::int64_t run_bytes = 0;  ///< of one contiguous range of the file (gaps that are read included)
  std::int64_t runs = 0;
  int run_axes = 0;       ///< the innermost axes of `move` that one run covers; the outer ones count the runs
  bool in_place = false;  ///< file bytes are already the elements, contiguous on both sides: no staging
  bool operator==(const Piece&) const = default;

  [[nodiscard]] std::int64_t read_bytes() const { return run_bytes * runs; }
  /// File offset of run i, in [0, runs); ascending.
  [[nodiscard]] std::int64_t run_offset(std::int64_t i) const;
  /// Tile offset of the first element of run i. For in-place pieces all of the run goes there.
  [[nodiscard]] std::int64_t run_tile_offset(std::int64_t i) const;
  /// The copy from the packed block (its first byte is run 0's first) to the tile at `move.tile_offset`: what
  /// copy_elements takes. For staged pieces.
  [[nodiscard]] std::vector<CopyAxis> copy_axes() const;
};

/// How large things are cut. Constants carry their derivation in pieces.cpp and budget.cpp.
struct Sizes {
  std::int64_t request_bytes = std::int64_t{1} << 20;  ///< longest single read
  std::int64_t block_bytes = std::int64_t{1} << 20;    ///< most bytes of one staged piece
  std::int64_t gap_bytes = std::int64_t{64} * 1024;    ///< unwanted bytes we rather read than skip (DS54)
  bool operator==(const Sizes&) const = default;
};

/// What one contiguous range of the file covers, before anything is cut small.
///
/// A run begins as one element and takes in axis after axis, from the innermost outwards, while nothing lies between
/// its repetitions, or so little that reading the gap is cheaper than skipping it.
struct RunShape {
  int axes = 0;            ///< innermost axes of the move that it covers
  std::int64_t bytes = 0;  ///< its length, gaps included
  bool in_place = false;   ///< no conversion, no gap, and contiguous in the tile as well
};
RunShape run_shape(const Move& move, bool convert, std::int64_t gap_bytes);

/// Cuts a move into pieces, in the order of their first bytes in the file. Never allocates more than O(ndim).
///
/// Staged: at most `block_bytes` of file bytes each (but at least one element). Where file and tile are ordered
/// differently, a piece is a box whose runs are long on both sides. In place: runs of at most `request_bytes`; a longer
/// run is cut at file offsets that are multiples of it, so that direct reads need no head and no tail in between.
///
/// The move must not be empty, nor its elements of no bytes (moves_of gives no such moves).
class PieceCursor {
 public:
  /// @param convert  the file's bytes are not the elements (byte swap, cast), or must be staged: never in place
  PieceCursor(Move move, bool convert, Sizes sizes);
  /// The next piece; empty at the end.
  std::optional<Piece> next();

 private:
  [[nodiscard]] std::int64_t count_here(std::size_t axis) const;
  [[nodiscard]] std::int64_t aligned_count() const;
  [[nodiscard]] Piece piece_here(const std::vector<std::int64_t>& counts) const;
  void advance(const std::vector<std::int64_t>& counts);

  Move move_;
  RunShape run_;
  std::int64_t limit_ = 0;               ///< of a piece if staged, of a run if in place
  bool cut_aligned_ = false;             ///< the innermost axis is cut at aligned file offsets
  std::vector<std::int64_t> per_piece_;  ///< count of each axis in a full piece
  std::vector<std::int64_t> at_;         ///< start of the next piece
  std::vector<std::int64_t> here_;       ///< counts of the next piece
  bool done_ = false;
};

/// The same as a loop.
void for_each_piece(const Move& move, bool convert, const Sizes& sizes, const std::function<void(const Piece&)>& use);

}  // namespace loadstone::plan
