// Moves dense or evenly strided elements, in one order on both sides: swapped and cast on the way, past the cache or
// not.
#pragma once

#include "core/convert.hpp"
#include "core/copy_loops.hpp"
#include "core/kernels.hpp"
#include "core/transfer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace loadstone {

/// Runs at even distances on both sides.
struct Runs {
  std::int64_t elements = 0;  ///< of one
  std::int64_t n = 0;
  std::int64_t source_stride = 0;
  std::int64_t target_stride = 0;
};

/// What one copy does to its elements, and how it stores them. True means that a value was lost.
class Mover {
 public:
  /// @param streaming  the copy as a whole goes past the cache: its longer runs do
  Mover(const DType& source, const DType& target, Casting casting, const CopyWay& way, bool streaming);

  [[nodiscard]] const CopyKernels& kernels() const noexcept { return kernels_; }
  [[nodiscard]] const ItemSizes& items() const noexcept { return items_; }
  /// Whether bytes are moved as they are.
  [[nodiscard]] bool plain() const noexcept { return unit_ == 1 && convert_ == nullptr; }
  [[nodiscard]] bool goes_past_cache(std::int64_t run_bytes) const noexcept {
    return streaming_ && run_bytes >= stream_run_bytes_;
  }

  /// Dense elements to their place.
  bool move(std::byte* target, const std::byte* source, std::int64_t n) const;
  /// Evenly strided runs to their places.
  bool move_runs(std::byte* target, const std::byte* source, const Runs& runs) const;
  /// Dense elements into memory that is read again at once; source and target may be equal if their items are.
  bool change(std::byte* target, const std::byte* source, std::int64_t n) const;

 private:
  void put(std::byte* target, const std::byte* source, std::size_t bytes) const;
  void swap_by_rows(std::byte* target, const std::byte* source, std::size_t bytes) const;
  bool convert_by_rows(std::byte* target, const std::byte* source, std::int64_t n) const;
  bool move_short_runs(std::byte* target, const std::byte* source, const Runs& runs) const;

  const CopyKernels& kernels_;
  ItemSizes items_;
  std::size_t unit_;
  ConvertRow convert_;
  std::int64_t stream_run_bytes_;
  std::int64_t gathered_run_bytes_;
  bool streaming_;
};

}  // namespace loadstone
