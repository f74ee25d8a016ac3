// Who owns which index, counted one by one: the oracle of the layout tests. Knows nothing of the library's arithmetic.
#pragma once

#include "support/seed.hpp"

#include <loadstone/distribution.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace loadstone::test {

using Indices = std::vector<std::int64_t>;

/// The indices that part `part` of `parts` owns.
inline Indices owned_by_part(const AxisRule& rule, std::int64_t extent, std::int64_t parts, std::int64_t part) {
  Indices owned;
  for (std::int64_t i = 0; i < extent; ++i) {
    std::int64_t owner = 0;
    if (rule.kind == AxisRule::Kind::cyclic) owner = i / rule.block % parts;
    if (rule.kind == AxisRule::Kind::cuts) {
      while (rule.offsets[static_cast<std::size_t>(owner) + 1] <= i) ++owner;
    }
    if (rule.kind == AxisRule::Kind::even) {  // dealt out one by one, as lengths: part r of the first i gets one more
      std::vector<std::int64_t> lengths(static_cast<std::size_t>(parts));
      for (std::int64_t k = 0; k < extent; ++k) ++lengths[static_cast<std::size_t>(k % parts)];
      for (std::int64_t end = lengths[0]; end <= i;) end += lengths[static_cast<std::size_t>(++owner)];
    }
    if (owner == part) owned.push_back(i);
  }
  return owned;
}

/// The indices that a rank owns on an axis, by walking the mesh.
inline Indices owned(const Shape& shape, const Mesh& mesh, const std::vector<AxisRule>& rules, std::int64_t rank,
                     std::size_t axis) {
  std::int64_t place = rank;
  if (!mesh.order.empty()) {
    place = std::find(mesh.order.begin(), mesh.order.end(), rank) - mesh.order.begin();
  }
  Shape coordinates(mesh.dims.size());
  for (std::size_t i = mesh.dims.size(); i-- > 0;) {
    coordinates[i] = place % mesh.dims[i];
    place /= mesh.dims[i];
  }
  std::int64_t part = 0;
  std::int64_t parts = 1;
  for (const std::int64_t named : rules[axis].mesh_axes) {
    part = part * mesh.dims[static_cast<std::size_t>(named)] + coordinates[static_cast<std::size_t>(named)];
    parts *= mesh.dims[static_cast<std::size_t>(named)];
  }
  return owned_by_part(rules[axis], shape[axis], parts, part);
}

inline Indices flattened(const std::vector<Interval>& intervals) {
  Indices indices;
  for (const Interval interval : intervals) {
    for (std::int64_t i = interval.begin; i < interval.end; ++i) indices.push_back(i);
  }
  return indices;
}

inline std::vector<Mesh> meshes(std::int64_t ranks) {
  std::vector<Mesh> found{{{ranks}, {}}};
  for (std::int64_t a = 1; a <= ranks; ++a) {
    if (ranks % a == 0) found.push_back({{a, ranks / a}, {}});
  }
  return found;
}

inline std::vector<std::int64_t> random_offsets(std::mt19937_64& random, std::int64_t extent, std::int64_t parts) {
  std::vector<std::int64_t> offsets{0, extent};
  for (std::int64_t i = 1; i < parts; ++i) offsets.push_back(pick(random, 0, extent));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// What a distribution was made from, so that the oracle needs nothing of it.
struct Spec {
  Shape shape;
  Mesh mesh;
  std::vector<AxisRule> rules;
  [[nodiscard]] Distribution make() const { return Distribution::mesh(shape, mesh, rules); }
};

inline Spec random_spec(std::mt19937_64& random, const Shape& shape, std::int64_t ranks) {
  using Kind = AxisRule::Kind;
  const auto choices = meshes(ranks);
  Spec spec{shape, choices[static_cast<std::size_t>(pick(random, 0, std::ssize(choices) - 1))],
            std::vector<AxisRule>(shape.size())};
  if (pick(random, 0, 1) == 0) {
    spec.mesh.order.resize(static_cast<std::size_t>(ranks));
    std::iota(spec.mesh.order.begin(), spec.mesh.order.end(), 0);
    std::shuffle(spec.mesh.order.begin(), spec.mesh.order.end(), random);
  }
  for (std::size_t m = 0; m < spec.mesh.dims.size(); ++m) {
    const std::int64_t axis = pick(random, -1, std::ssize(shape) - 1);
    if (axis >= 0) spec.rules[static_cast<std::size_t>(axis)].mesh_axes.push_back(static_cast<std::int64_t>(m));
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    AxisRule& rule = spec.rules[axis];
    if (rule.mesh_axes.empty()) continue;
    std::shuffle(rule.mesh_axes.begin(), rule.mesh_axes.end(), random);
    std::int64_t parts = 1;
    for (const std::int64_t named : rule.mesh_axes) parts *= spec.mesh.dims[static_cast<std::size_t>(named)];
    rule.kind = std::array{Kind::even, Kind::cuts, Kind::cyclic}[static_cast<std::size_t>(pick(random, 0, 2))];
    if (rule.kind == Kind::cuts) rule.offsets = random_offsets(random, shape[axis], parts);
    if (rule.kind == Kind::cyclic) rule.block = pick(random, 1, 4);
  }
  return spec;
}

inline Shape random_shape(std::mt19937_64& random, std::int64_t max_axes, std::int64_t max_extent) {
  Shape shape(static_cast<std::size_t>(pick(random, 0, max_axes)));
  for (std::int64_t& extent : shape) extent = pick(random, 0, max_extent);
  return shape;
}

}  // namespace loadstone::test
