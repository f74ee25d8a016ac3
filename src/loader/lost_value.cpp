#include "loader/lost_value.hpp"

#include "core/option_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "plan/chains.hpp"

namespace loadstone::loader {
namespace {

/// Where the element at a position (in the order of the axes) stands, by the strides of one side.
template <class Axes, class Stride>
std::int64_t offset_of(const Axes& axes, std::int64_t position, const Stride& stride) {
  std::int64_t offset = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    offset += position % axes[i].count * stride(axes[i]);
    position /= axes[i].count;
  }
  return offset;
}

/// The index in the shard's own array of the n-th element of its file, as NumPy writes it.
std::string index_text(const Dataset& dataset, const Shard& shard, std::int64_t n) {
  Shape shape = dataset.shape;
  if (!shape.empty()) shape[0] = shard.rows;
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = shard.order == StorageOrder::c ? shape.size() - 1 - i : i;
    index[axis] = n % shape[axis];
    n /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

/// One stored element converted to a wider type.
template <class Wide>
Wide widened(const std::byte* element, const DType& stored, std::string_view wide) {
  Wide value{};
  copy_elements(element, stored, reinterpret_cast<std::byte*>(&value), *parse_dtype(wide), {}, Casting::lossy);
  return value;
}

/// A stored element as a person writes it.
std::string value_text(const std::byte* element, const DType& stored) {
  switch (stored.kind) {
    case Kind::boolean:
    case Kind::unsigned_integer:
      return fmt::format("{}", widened<std::uint64_t>(element, stored, "u8"));
    case Kind::signed_integer:
      return fmt::format("{}", widened<std::int64_t>(element, stored, "i8"));
    case Kind::complex: {
      const auto parts = widened<std::array<double, 2>>(element, stored, "c16");
      return fmt::format("{}{:+}j", parts[0], parts[1]);
    }
    default:
      return fmt::format("{}", widened<double>(element, stored, "f8"));
  }
}

/// Under `lossy` a value may be rounded, but never wrap or vanish.
std::string remedy_of(std::string_view what, Casting casting) {
  const bool rounds = what == "would be rounded" || what == "is not a whole number" || what == "is neither 0 nor 1";
  if (casting == Casting::checked && rounds)
    return "Ask for a type that holds it, or allow the loss with " + named(Option::casting, "lossy");
  return "Ask for a type that holds it: nothing wraps, under any casting";
}

}  // namespace

Fault lost_value(const plan::Problem& problem, const plan::Piece& piece, std::span<const std::byte> packed,
                 const LostValue& lost) {
  const std::int64_t in_file =
      piece.move.file_offset +
      offset_of(piece.move.axes, lost.position, [](const plan::MoveAxis& axis) { return axis.file_stride; });
  const std::int64_t index = plan::shard_at(*problem.dataset, piece.move.shard, in_file);
  const Shard& shard = problem.dataset->shards[static_cast<std::size_t>(index)];
  const DType& stored = shard.dtype;
  const std::int64_t in_block =
      offset_of(piece.copy_axes(), lost.position, [](const CopyAxis& axis) { return axis.source_stride; });
  const std::int64_t element = (in_file - shard.data_offset) / std::max<std::int64_t>(stored.itemsize, 1);
  return {
      .code = Code::lossy,
      .kind = "cast.lost_value",
      .message = fmt::format("element {} of this shard, {}, {} as {}; the shard holds {}",
                             index_text(*problem.dataset, shard, element), value_text(packed.data() + in_block, stored),
                             lost.what, problem.result_dtype.name(), stored.name()),
      .remedy = remedy_of(lost.what, problem.casting),
      .shard = index,
      .path = problem.dataset->file_of(shard).path,
      .offset = in_file,
      .wanted = problem.result_dtype.str(),
      .got = stored.str()};
}

}  // namespace loadstone::loader
