#include <loadstone/distribution.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace loadstone {

Box whole_box(std::span<const std::int64_t> shape) {
  Box box;
  box.reserve(shape.size());
  for (const std::int64_t extent : shape) box.push_back({0, extent});
  return box;
}

Shape shape_of(const Box& box) {
  Shape shape;
  shape.reserve(box.size());
  for (const Interval& interval : box) shape.push_back(interval.size());
  return shape;
}

std::int64_t elements_of(const Box& box) {
  std::int64_t elements = 1;
  for (const Interval& interval : box) elements *= interval.size();
  return elements;
}

bool is_empty(const Box& box) {
  return std::any_of(box.begin(), box.end(), [](Interval i) { return i.empty(); });
}

Box intersect(const Box& a, const Box& b) {
  assert(a.size() == b.size());
  Box shared;
  shared.reserve(a.size());
  for (std::size_t axis = 0; axis < a.size(); ++axis) shared.push_back(intersect(a[axis], b[axis]));
  return shared;
}

std::string to_string(const Box& box) {
  std::string text = "[";
  for (const Interval& interval : box) {
    fmt::format_to(std::back_inserter(text), "{}{}:{}", text.size() > 1 ? ", " : "", interval.begin, interval.end);
  }
  return text + "]";
}

}  // namespace loadstone
