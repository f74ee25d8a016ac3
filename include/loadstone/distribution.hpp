// Who owns what: intervals, boxes and distributions of a global array over ranks. Pure values, no communication.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone {

using Shape = std::vector<std::int64_t>;

/// Half-open index region [begin, end) of one axis; empty when begin == end.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] constexpr std::int64_t size() const noexcept { return end - begin; }
  [[nodiscard]] constexpr bool empty() const noexcept { return end <= begin; }
  [[nodiscard]] constexpr bool contains(std::int64_t index) const noexcept { return begin <= index && index < end; }
  bool operator==(const Interval&) const = default;
};

/// What two intervals share; empty (begin == end) if nothing.
[[nodiscard]] constexpr Interval intersect(Interval a, Interval b) noexcept {
  const std::int64_t begin = a.begin > b.begin ? a.begin : b.begin;
  const std::int64_t end = a.end < b.end ? a.end : b.end;
  return {begin, end < begin ? begin : end};
}

/// One interval an axis; a 0-d box has no axes and holds one element.
using Box = std::vector<Interval>;

[[nodiscard]] Box whole_box(std::span<const std::int64_t> shape);
[[nodiscard]] Shape shape_of(const Box& box);
/// Product of the sizes; 1 for a 0-d box.
[[nodiscard]] std::int64_t elements_of(const Box& box);
[[nodiscard]] bool is_empty(const Box& box);
[[nodiscard]] Box intersect(const Box& a, const Box& b);
/// Text such as "[0:1505, 0:256]".
[[nodiscard]] std::string to_string(const Box& box);

/// A grid of ranks: ranks in C order over `dims` unless `order`, a permutation, says which rank sits at each place.
struct Mesh {
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> order;  ///< empty: C order

  bool operator==(const Mesh&) const = default;
};

/// How one array axis is cut into parts.
struct AxisRule {
  enum class Kind : std::uint8_t { whole, even, cuts, cyclic };
  Kind kind = Kind::whole;
  std::vector<std::int64_t> offsets;    ///< cuts: parts + 1 values from 0 to the extent
  std::int64_t block = 0;               ///< cyclic: rows of one block
  std::vector<std::int64_t> mesh_axes;  ///< which mesh axes count the parts, slowest first; empty for whole

  bool operator==(const AxisRule&) const = default;
};

/// A part of the axis and the rank coordinate that owns it.
struct OwnedInterval {
  std::int64_t part = 0;
  Interval interval;
  bool operator==(const OwnedInterval&) const = default;
};

/// Which box of a global array each rank owns. Immutable, thread-safe, no communicator. Input lists are copied.
/// Invalid input is Error{bad_argument} naming all that is wrong, before any allocation that depends on it.
class Distribution {
 public:
  /// First `extent mod ranks` ranks get one more: start r*q + min(r, m). Negative axes wrap. A 0-d shape is replicated.
  static Distribution even(Shape shape, std::int64_t axis, std::int64_t ranks);
  /// ranks + 1 offsets from 0 to the extent. Cuts that equal the even rule are stored as even.
  static Distribution cuts(Shape shape, std::int64_t axis, std::vector<std::int64_t> offsets);
  /// One length a rank; their sum is the extent.
  static Distribution counts(Shape shape, std::int64_t axis, std::span<const std::int64_t> lengths);
  /// Blocks r, r + P, r + 2P, ... go to rank r; the last block may be short.
  static Distribution cyclic(Shape shape, std::int64_t axis, std::int64_t block, std::int64_t ranks);
  static Distribution replicated(Shape shape, std::int64_t ranks);
  /// One rule an array axis over the named mesh axes; mesh axes not named are replicas.
  static Distribution mesh(Shape shape, Mesh mesh, std::vector<AxisRule> rules);

  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] std::int64_t ndim() const noexcept;
  [[nodiscard]] std::int64_t ranks() const noexcept;
  [[nodiscard]] const Mesh& mesh() const noexcept;
  [[nodiscard]] const std::vector<AxisRule>& rules() const noexcept;
  /// The only axis that is cut; empty if replicated or cut along several.
  [[nodiscard]] std::optional<std::int64_t> split() const noexcept;
  [[nodiscard]] bool is_replicated() const noexcept;

  /// Parts that the rule of an axis makes: 1 for whole.
  [[nodiscard]] std::int64_t parts(std::int64_t axis) const;
  /// The part of the axis that a rank owns.
  [[nodiscard]] std::int64_t part_of(std::int64_t rank, std::int64_t axis) const;
  /// What a rank owns on an axis, ascending; one interval (perhaps empty) for every rule but cyclic.
  [[nodiscard]] std::vector<Interval> intervals(std::int64_t rank, std::int64_t axis) const;
  /// The same as one interval; Error{bad_argument} on a cyclic axis, pointing to intervals(). O(1) or one look-up.
  [[nodiscard]] Interval interval(std::int64_t rank, std::int64_t axis) const;
  [[nodiscard]] Box box(std::int64_t rank) const;
  [[nodiscard]] Shape local_shape(std::int64_t rank) const;
  /// The part that owns an index of an axis: O(1) or one binary search.
  [[nodiscard]] std::int64_t owner(std::int64_t axis, std::int64_t index) const;
  /// The non-empty parts of an axis that share something with `wanted`, ascending, cut to it. O(log P + results).
  [[nodiscard]] std::vector<OwnedInterval> overlaps(std::int64_t axis, Interval wanted) const;

  /// "split=1", "counts=0:1,3,3,3", "cyclic=1:64", "mesh=2x2:0<-0,1<-1", "replicated".
  [[nodiscard]] std::string to_string() const;
  static Distribution parse(std::string_view text, Shape shape, std::int64_t ranks);
  /// 32 hexadecimal digits, equal on all platforms for equal distributions.
  [[nodiscard]] std::string hash() const;

  bool operator==(const Distribution& other) const;

 private:
  struct State;
  explicit Distribution(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace loadstone
