#include <fmt/format.h>
#include <loadstone/array.hpp>
#include <loadstone/error.hpp>

#include "array/tile_memory.hpp"
#include "core/checked.hpp"
#include "core/text.hpp"

namespace loadstone {
namespace {

std::int64_t product(const Shape& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

[[noreturn]] void refuse_argument(std::string kind, std::string message, std::string remedy) {
  throw Error(Fault{
      .code = Code::bad_argument, .kind = std::move(kind), .message = std::move(message), .remedy = std::move(remedy)});
}

}  // namespace

DistributedArray::DistributedArray(Distribution distribution, DType dtype, std::shared_ptr<Communicator> comm,
                                   std::shared_ptr<TileMemory> memory)
    : distribution_(std::move(distribution)),
      dtype_(std::move(dtype)),
      comm_(std::move(comm)),
      memory_(std::move(memory)) {}

std::int64_t DistributedArray::size() const { return product(shape()); }
std::int64_t DistributedArray::nbytes() const { return size() * itemsize(); }
Box DistributedArray::box() const { return distribution_.box(comm_->rank()); }
Shape DistributedArray::local_shape() const { return distribution_.local_shape(comm_->rank()); }
std::int64_t DistributedArray::local_size() const { return product(local_shape()); }
std::int64_t DistributedArray::local_nbytes() const { return local_size() * itemsize(); }

Shape DistributedArray::displacement() const {
  Shape starts;
  for (const Interval& cut : box()) starts.push_back(cut.begin);
  return starts;
}

std::vector<Shape> DistributedArray::local_shapes() const {
  std::vector<Shape> shapes;
  for (std::int64_t rank = 0; rank < distribution_.ranks(); ++rank) shapes.push_back(distribution_.local_shape(rank));
  return shapes;
}

Shape DistributedArray::strides() const {
  const Shape local = local_shape();
  Shape strides(local.size());
  std::int64_t step = itemsize();
  for (std::size_t axis = local.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<std::int64_t>(local[axis], 1);
  }
  return strides;
}

bool DistributedArray::balanced() const {
  if (distribution_.is_replicated()) return true;
  const auto axis = split();
  return axis && distribution_ == Distribution::even(shape(), *axis, distribution_.ranks());
}

bool DistributedArray::is_distributed() const { return comm_->size() > 1 && !distribution_.is_replicated(); }

std::pair<Shape, Shape> DistributedArray::counts_displs() const {
  const auto axis = split();
  if (!axis) {
    refuse_argument("split", "counts and displacements need one split axis; this array is replicated or on a mesh",
                    "Use local_shapes() and box()");
  }
  std::pair<Shape, Shape> result;
  for (std::int64_t rank = 0; rank < distribution_.ranks(); ++rank) {
    const Interval cut = distribution_.interval(rank, *axis);
    result.first.push_back(cut.size());
    result.second.push_back(cut.begin);
  }
  return result;
}

std::span<std::byte> DistributedArray::local_bytes() const noexcept { return memory_->bytes(); }

void DistributedArray::check_itemsize(std::size_t size) const {
  if (static_cast<std::int64_t>(size) == itemsize()) return;
  refuse_argument("dtype",
                  fmt::format("the tile holds {} of {} bytes, a view of {}-byte elements was asked for", dtype_.name(),
                              itemsize(), size),
                  fmt::format("Ask for the type that fits {}", dtype_.name()));
}

std::string DistributedArray::summary() const {
  const auto axis = split();
  return fmt::format("DistributedArray shape {} {} split {} rank {} of {} box {} on host", shape_text(shape()),
                     dtype_.name(), axis ? std::to_string(*axis) : "none", comm_->rank(), comm_->size(),
                     to_string(box()));
}

}  // namespace loadstone
