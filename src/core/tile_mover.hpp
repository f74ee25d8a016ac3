// Moves elements between two memory orders, by tiles that are read along the source and written along the target.
#pragma once

#include "core/copy_loops.hpp"
#include "core/mover.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace loadstone {

/// Carries out the tiled part of CopyLoops for one place of the outer axes. Holds one tile; used by one thread.
///
/// While a tile is written, the source of the next one is asked for: tiles go down the source's lines, then on to the
/// next columns.
class TileMover {
 public:
  static constexpr std::int64_t kMostRunBytes = 2048;  ///< of either side, that a tile has room for

  /// @param side_bytes  of a tile of small items, along either side: 64 to 512, else the nearer of these
  TileMover(const Mover& mover, const CopyLoops& loops, std::int64_t side_bytes);

  /// True if a value was lost.
  bool operator()(std::byte* target, const std::byte* source);

 private:
  static constexpr std::int64_t kLine = 64;
  static constexpr std::int64_t kTileBytes = std::int64_t{64} << 10;
  static constexpr std::int64_t kMostColumns = 512;
  static constexpr std::int64_t kMostRows = 512;
  static constexpr std::int64_t kChangedBytes = std::int64_t{4} << 10;

  /// Columns that are moved together, and where their source lines start.
  struct Columns {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::array<const std::byte*, kMostColumns> lines;
  };
  using Lines = std::span<const std::byte* const>;
  using Places = std::span<const std::int64_t>;

  void look_at(Columns& columns, const std::byte* target, const std::byte* source, std::int64_t first) const;
  bool move_columns(std::byte* target, const Columns& columns, const Columns& next);
  Lines lines_at(const Columns& columns, std::int64_t row);
  Ahead ahead_of(const Columns& columns, const Columns& next, std::int64_t row, std::int64_t most_rows);
  void fill(Lines lines, std::int64_t rows);
  bool write(std::byte* target, Places places, std::int64_t columns, const Ahead& ahead);
  bool scatter(std::byte* target, Places places, std::int64_t columns) const;
  bool write_changed(std::byte* target, Places places, std::int64_t columns, const Ahead& ahead);
  void put_rows(std::byte* target, Places places, const std::byte* rows, std::int64_t row_bytes,
                const Ahead& ahead) const;

  const Mover& mover_;
  const CopyLoops& loops_;
  std::int64_t source_run_;
  std::int64_t target_run_;
  std::int64_t down_stride_;
  std::int64_t along_stride_;
  bool squares_;  ///< small items, dense in the source: the kernels transpose them
  std::int64_t side_bytes_;
  std::array<Columns, 2> columns_;
  std::array<const std::byte*, kMostColumns> lines_;
  alignas(kLine) std::array<std::byte, kTileBytes> tile_;
  alignas(kLine) std::array<std::byte, kChangedBytes> changed_;
};

}  // namespace loadstone
