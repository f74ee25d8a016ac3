// The result of a load: a global array of which this rank holds one tile.
#pragma once

#include <loadstone/communicator.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>
#include <loadstone/error.hpp>
#include <loadstone/stats.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loadstone {

/// Memory of a tile: C order, dense; page-aligned and freed by the last holder, or the caller's (`LoadOptions::out`).
class TileMemory;

/// A global array over the ranks of a communicator. Copies share the tile. Members are local and never communicate,
/// except those marked collective. Nothing that can be derived is stored.
class DistributedArray {
 public:
  DistributedArray(Distribution distribution, DType dtype, std::shared_ptr<Communicator> comm,
                   std::shared_ptr<TileMemory> memory);

  [[nodiscard]] const Shape& shape() const noexcept { return distribution_.shape(); }
  [[nodiscard]] std::int64_t ndim() const noexcept { return distribution_.ndim(); }
  [[nodiscard]] std::int64_t size() const;    ///< elements of the whole
  [[nodiscard]] std::int64_t nbytes() const;  ///< bytes of the whole
  [[nodiscard]] const DType& dtype() const noexcept { return dtype_; }
  [[nodiscard]] std::int64_t itemsize() const noexcept { return dtype_.itemsize; }
  [[nodiscard]] const Distribution& distribution() const noexcept { return distribution_; }
  [[nodiscard]] std::optional<std::int64_t> split() const { return distribution_.split(); }
  [[nodiscard]] const std::shared_ptr<Communicator>& comm() const noexcept { return comm_; }

  [[nodiscard]] Box box() const;
  [[nodiscard]] Shape local_shape() const;
  [[nodiscard]] std::int64_t local_size() const;
  [[nodiscard]] std::int64_t local_nbytes() const;
  [[nodiscard]] Shape displacement() const;               ///< start of the tile an axis
  [[nodiscard]] std::vector<Shape> local_shapes() const;  ///< one shape a rank, computed
  [[nodiscard]] Shape strides() const;                    ///< bytes, of the tile
  [[nodiscard]] bool balanced() const;                    ///< even or replicated
  [[nodiscard]] bool is_distributed() const;              ///< more than one rank and not replicated
  /// Lengths and starts of all ranks along the split axis. Error{bad_argument} when replicated or on a mesh.
  [[nodiscard]] std::pair<Shape, Shape> counts_displs() const;

  /// The tile's bytes: C order, dense, this rank's own. Valid as long as memory() is held.
  [[nodiscard]] std::span<std::byte> local_bytes() const noexcept;
  /// The tile as T; Error{bad_argument} if sizeof(T) is not the itemsize.
  template <class T>
  [[nodiscard]] std::span<T> local() const;
  [[nodiscard]] const std::shared_ptr<TileMemory>& memory() const noexcept { return memory_; }

  /// Collective. The whole array in C order on rank `root` (-1: on all ranks), empty elsewhere.
  [[nodiscard]] std::vector<std::byte> gather(int root = 0) const;
  /// Collective. Sum modulo 2^128 over all elements of xxh3-128(global C-order index as little-endian u64, then the
  /// element's bytes little-endian), 32 hexadecimal digits: equal for every rank count, split, budget and backend.
  [[nodiscard]] std::string digest() const;
  /// Shape, type, split, rank and box in one line. Local.
  [[nodiscard]] std::string summary() const;

  /// What this rank's load did.
  LoadStats stats;
  /// About the dataset, from a load of paths; a Dataset that was loaded holds its own.
  std::vector<Fault> warnings;

 private:
  void check_itemsize(std::size_t size) const;
  Distribution distribution_;
  DType dtype_;
  std::shared_ptr<Communicator> comm_;
  std::shared_ptr<TileMemory> memory_;
};

template <class T>
std::span<T> DistributedArray::local() const {
  check_itemsize(sizeof(T));
  const std::span<std::byte> bytes = local_bytes();
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace loadstone
