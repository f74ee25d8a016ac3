// The digest of an array: a sum over elements, so that it is the same however they are spread.
#include <loadstone/array.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "array/tile_memory.hpp"
#include "comm/agree.hpp"
#include "core/hash.hpp"

namespace loadstone {
namespace {

/// Hashes elements one by one: global index as little-endian u64, then the element's bytes little-endian.
class ElementHasher {
 public:
  explicit ElementHasher(const DType& dtype)
      : itemsize_(static_cast<std::size_t>(dtype.itemsize)),
        unit_(native_byte_order() == ByteOrder::big ? static_cast<std::size_t>(dtype.swap_unit()) : 1),
        buffer_(8 + itemsize_) {}

  Hash128 operator()(std::int64_t index, const std::byte* element) {
    for (std::size_t i = 0; i < 8; ++i)
      buffer_[i] = static_cast<std::byte>(static_cast<std::uint64_t>(index) >> (8 * i));
    if (itemsize_ > 0) std::memcpy(buffer_.data() + 8, element, itemsize_);
    for (std::size_t at = 8; unit_ > 1 && at < buffer_.size(); at += unit_) {
      std::reverse(buffer_.begin() + static_cast<std::ptrdiff_t>(at),
                   buffer_.begin() + static_cast<std::ptrdiff_t>(at + unit_));
    }
    return xxh3_128(buffer_);
  }

 private:
  std::size_t itemsize_;
  std::size_t unit_;
  std::vector<std::byte> buffer_;
};

/// Sum over a dense tile of `box`, or of the part [begin, end) of its elements.
Hash128 sum_of(const Box& box, const Shape& shape, const DType& dtype, std::span<const std::byte> bytes,
               Interval part) {
  ElementHasher hash(dtype);
  Hash128 sum;
  for (std::int64_t n = part.begin; n < part.end; ++n) {
    std::int64_t rest = n;
    std::int64_t index = 0;
    std::int64_t step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      index += (box[axis].begin + rest % box[axis].size()) * step;
      rest /= box[axis].size();
      step *= shape[axis];
    }
    sum += hash(index, bytes.data() + n * dtype.itemsize);
  }
  return sum;
}

/// Adds up over ranks in limbs of 32 bits: 2^31 ranks do not overflow an int64.
Hash128 add_up(const Hash128& mine, Communicator& comm) {
  std::array<std::int64_t, 4> limbs{};
  const std::array<std::uint64_t, 2> words = {mine.low, mine.high};
  for (std::size_t i = 0; i < 4; ++i)
    limbs[i] = static_cast<std::int64_t>((words[i / 2] >> (32 * (i % 2))) & 0xFFFFFFFF);
  throw_if_failed(comm::wait(*comm.iallreduce(limbs, Reduce::sum), Interrupt{}, "adding up a digest"));
  Hash128 sum;
  for (std::size_t i = 4; i-- > 0;) {
    const auto limb = static_cast<std::uint64_t>(limbs[i]);
    const std::size_t shift = 32 * i;
    Hash128 term;
    if (shift >= 64) {
      term.high = limb << (shift - 64);
    } else {
      term.low = limb << shift;
      term.high = shift == 0 ? 0 : limb >> (64 - shift);
    }
    sum += term;
  }
  return sum;
}

}  // namespace

std::string DistributedArray::digest() const {
  // A header of a few bytes can state 2^63 elements of no bytes: nothing bounds the work that their sum would take.
  constexpr std::int64_t kMostWithoutBytes = std::int64_t{1} << 31;
  if (itemsize() == 0 && size() > kMostWithoutBytes) {
    throw Error(Fault{.code = Code::too_large,
                      .kind = "digest.empty_elements",
                      .message = std::to_string(size()) + " elements of no bytes have no digest worth its time",
                      .remedy = "Leave the digest out: the array holds no bytes"});
  }
  const int rank = comm_->rank();
  Interval part{0, local_size()};
  if (distribution_.is_replicated()) {  // everybody has everything: each sums its share
    const std::int64_t ranks = comm_->size();
    part = {local_size() / ranks * rank + std::min<std::int64_t>(rank, local_size() % ranks),
            local_size() / ranks * (rank + 1) + std::min<std::int64_t>(rank + 1, local_size() % ranks)};
  }
  return add_up(sum_of(box(), shape(), dtype_, local_bytes(), part), *comm_).hex();
}

}  // namespace loadstone
