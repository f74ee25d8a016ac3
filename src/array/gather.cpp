// gather: tiles travel to one rank (or to all) and are placed into the whole array.
#include <loadstone/array.hpp>
#include <loadstone/options.hpp>

#include <vector>

#include "array/tile_memory.hpp"
#include "comm/agree.hpp"
#include "core/transfer.hpp"

namespace loadstone {
namespace {

constexpr int kGatherTag = 11;

/// Copies a dense tile to its place in the dense whole.
void place(std::span<const std::byte> tile, const Box& box, const Shape& shape, const DType& dtype,
           std::span<std::byte> whole) {
  std::vector<CopyAxis> axes(shape.size());
  std::int64_t tile_step = dtype.itemsize;
  std::int64_t whole_step = dtype.itemsize;
  std::int64_t start = 0;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    axes[axis] = {box[axis].size(), tile_step, whole_step};
    start += box[axis].begin * whole_step;
    tile_step *= box[axis].size();
    whole_step *= shape[axis];
  }
  copy_elements(tile.data(), dtype, whole.data() + start, dtype, axes, Casting::lossless,
                {.total_bytes = static_cast<std::int64_t>(whole.size())});
}

void finish(CommRequest& request) { throw_if_failed(comm::wait(request, Interrupt{}, "gathering an array")); }

}  // namespace

std::vector<std::byte> DistributedArray::gather(int root) const {
  const bool here = root < 0 || comm_->rank() == root;
  std::vector<std::byte> whole(here ? static_cast<std::size_t>(nbytes()) : 0);
  const auto keep = [&](std::span<const std::byte> tile, int rank) {
    if (!tile.empty()) place(tile, distribution_.box(rank), shape(), dtype_, whole);
  };
  if (distribution_.is_replicated()) {
    if (here) keep(local_bytes(), comm_->rank());
    return whole;
  }
  // One tile travels at a time, so that a root holds the whole and one tile beside it.
  std::vector<std::byte> tile;
  for (int rank = 0; rank < comm_->size(); ++rank) {
    const auto bytes = static_cast<std::size_t>(elements_of(distribution_.box(rank)) * itemsize());
    if (bytes == 0) continue;
    const bool mine = rank == comm_->rank();
    if (root < 0) {
      tile.assign(bytes, std::byte{});
      if (mine) std::copy(local_bytes().begin(), local_bytes().end(), tile.begin());
      finish(*comm_->ibroadcast(tile, rank));
      keep(tile, rank);
    } else if (here && mine) {
      keep(local_bytes(), rank);
    } else if (here) {
      tile.resize(bytes);
      finish(*comm_->irecv(tile, rank, kGatherTag));
      keep(tile, rank);
    } else if (mine) {
      finish(*comm_->isend(local_bytes(), root, kGatherTag));
    }
  }
  return whole;
}

}  // namespace loadstone
