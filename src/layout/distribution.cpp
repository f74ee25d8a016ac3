#include <loadstone/distribution.hpp>

#include "core/checked.hpp"
#include "layout/axis.hpp"
#include "layout/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace loadstone {

using layout::Faults;
using Rule = AxisRule::Kind;

struct Distribution::State {
  Shape shape;
  Mesh mesh;
  std::vector<AxisRule> rules;
  std::int64_t ranks = 1;
  std::vector<std::int64_t> parts;
  std::vector<std::int64_t> place_of_rank;  ///< empty: rank r sits at place r
};

namespace {

Mesh line_of(std::int64_t ranks) { return {{ranks}, {}}; }

bool counts_up(const std::vector<std::int64_t>& order) {
  return std::adjacent_find(order.begin(), order.end(), [](auto a, auto b) { return b != a + 1; }) == order.end();
}

bool is_even(const AxisRule& rule, std::int64_t extent) {
  const auto parts = static_cast<std::int64_t>(rule.offsets.size()) - 1;
  for (std::int64_t part = 0; part < parts; ++part) {
    if (rule.offsets[static_cast<std::size_t>(part) + 1] != layout::even_part(extent, parts, part).end) return false;
  }
  return true;
}

/// One spelling a meaning, so that equal layouts compare equal (AR-A7). Keeps only what the kind uses.
AxisRule normalised(AxisRule rule, std::int64_t extent) {
  AxisRule plain;
  plain.kind = rule.mesh_axes.empty() ? Rule::whole : rule.kind;
  if (plain.kind == Rule::cuts && is_even(rule, extent)) plain.kind = Rule::even;
  if (plain.kind == Rule::cuts) plain.offsets = std::move(rule.offsets);
  if (plain.kind == Rule::cyclic) plain.block = rule.block;
  plain.mesh_axes = std::move(rule.mesh_axes);
  return plain;
}

std::vector<std::int64_t> inverse(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    places[static_cast<std::size_t>(order[place])] = static_cast<std::int64_t>(place);
  }
  return places;
}

std::int64_t parts_of(const AxisRule& rule, const Mesh& mesh) {
  std::int64_t parts = 1;
  for (const std::int64_t axis : rule.mesh_axes) parts *= mesh.dims[static_cast<std::size_t>(axis)];
  return parts;
}

std::int64_t coordinate(const Mesh& mesh, std::int64_t place, std::int64_t mesh_axis) {
  for (auto axis = static_cast<std::int64_t>(mesh.dims.size()) - 1; axis > mesh_axis; --axis) {
    place /= mesh.dims[static_cast<std::size_t>(axis)];
  }
  return place % mesh.dims[static_cast<std::size_t>(mesh_axis)];
}

std::size_t wrapped(std::int64_t axis, const Shape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis);
}

/// Rules that cut one axis over a line of ranks; checked before: nothing is wrong.
std::vector<AxisRule> rules_of(const Shape& shape, std::int64_t axis, AxisRule rule) {
  std::vector<AxisRule> rules(shape.size());
  rule.mesh_axes = {0};
  if (!shape.empty()) rules[wrapped(axis, shape)] = std::move(rule);
  return rules;
}

Faults check_line(const Shape& shape, std::int64_t axis, std::int64_t ranks) {
  Faults faults = layout::check_shape(shape);
  layout::add(faults, layout::check_axis(axis, static_cast<std::int64_t>(shape.size())));
  layout::add(faults, layout::check_ranks(ranks));
  return faults;
}

/// The extent that lengths or offsets must reach; empty where there is no such axis.
std::optional<std::int64_t> extent_at(const Shape& shape, std::int64_t axis) {
  const auto ndim = static_cast<std::int64_t>(shape.size());
  if (ndim == 0 || axis < -ndim || axis >= ndim) return std::nullopt;
  return shape[wrapped(axis, shape)];
}

}  // namespace

Distribution::Distribution(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Distribution Distribution::even(Shape shape, std::int64_t axis, std::int64_t ranks) {
  layout::throw_if_any(check_line(shape, axis, ranks));
  auto rules = rules_of(shape, axis, {Rule::even, {}, 0, {}});
  return mesh(std::move(shape), line_of(ranks), std::move(rules));
}

Distribution Distribution::cuts(Shape shape, std::int64_t axis, std::vector<std::int64_t> offsets) {
  const auto ranks = std::max<std::int64_t>(static_cast<std::int64_t>(offsets.size()) - 1, 1);
  Faults faults = check_line(shape, axis, ranks);
  if (const auto extent = extent_at(shape, axis)) {
    layout::add(faults, layout::check_cuts(offsets, *extent, std::nullopt));
  }
  layout::throw_if_any(std::move(faults));
  auto rules = rules_of(shape, axis, {Rule::cuts, std::move(offsets), 0, {}});
  return mesh(std::move(shape), line_of(ranks), std::move(rules));
}

Distribution Distribution::counts(Shape shape, std::int64_t axis, std::span<const std::int64_t> lengths) {
  Faults faults = check_line(shape, axis, static_cast<std::int64_t>(lengths.size()));
  if (const auto extent = extent_at(shape, axis)) {
    layout::add(faults, layout::check_counts(lengths, *extent, std::nullopt));
  }
  layout::throw_if_any(std::move(faults));
  std::vector<std::int64_t> offsets(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return cuts(std::move(shape), axis, std::move(offsets));
}

Distribution Distribution::cyclic(Shape shape, std::int64_t axis, std::int64_t block, std::int64_t ranks) {
  Faults faults = check_line(shape, axis, ranks);
  layout::add(faults, layout::check_block(block));
  layout::throw_if_any(std::move(faults));
  auto rules = rules_of(shape, axis, {Rule::cyclic, {}, block, {}});
  return mesh(std::move(shape), line_of(ranks), std::move(rules));
}

Distribution Distribution::replicated(Shape shape, std::int64_t ranks) {
  layout::throw_if_any(check_line(shape, 0, ranks));
  std::vector<AxisRule> rules(shape.size());
  return mesh(std::move(shape), line_of(ranks), std::move(rules));
}

Distribution Distribution::mesh(Shape shape, Mesh mesh, std::vector<AxisRule> rules) {
  Faults faults = layout::check_shape(shape);
  Faults of_mesh = layout::check_mesh(mesh);
  if (of_mesh.empty()) layout::add(faults, layout::check_rules(shape, mesh, rules));
  layout::add(faults, std::move(of_mesh));
  layout::throw_if_any(std::move(faults));

  auto state = std::make_shared<State>();
  if (!mesh.order.empty() && mesh.order.front() == 0 && counts_up(mesh.order)) mesh.order.clear();
  for (std::size_t axis = 0; axis < rules.size(); ++axis) {
    state->rules.push_back(normalised(std::move(rules[axis]), shape[axis]));
    state->parts.push_back(parts_of(state->rules.back(), mesh));
  }
  state->ranks = checked_nbytes(mesh.dims, 1).value();
  state->place_of_rank = inverse(mesh.order);
  state->shape = std::move(shape);
  state->mesh = std::move(mesh);
  return Distribution(std::move(state));
}

const Shape& Distribution::shape() const noexcept { return state_->shape; }
std::int64_t Distribution::ndim() const noexcept { return static_cast<std::int64_t>(state_->shape.size()); }
std::int64_t Distribution::ranks() const noexcept { return state_->ranks; }
const Mesh& Distribution::mesh() const noexcept { return state_->mesh; }
const std::vector<AxisRule>& Distribution::rules() const noexcept { return state_->rules; }

std::optional<std::int64_t> Distribution::split() const noexcept {
  std::optional<std::int64_t> only;
  for (std::size_t axis = 0; axis < state_->rules.size(); ++axis) {
    if (state_->rules[axis].kind == Rule::whole) continue;
    if (only) return std::nullopt;
    only = static_cast<std::int64_t>(axis);
  }
  return only;
}

bool Distribution::is_replicated() const noexcept {
  const auto& rules = state_->rules;
  return std::all_of(rules.begin(), rules.end(), [](const AxisRule& rule) { return rule.kind == Rule::whole; });
}

std::int64_t Distribution::parts(std::int64_t axis) const { return state_->parts.at(static_cast<std::size_t>(axis)); }

std::int64_t Distribution::part_of(std::int64_t rank, std::int64_t axis) const {
  if (rank < 0 || rank >= ranks()) {
    layout::throw_if_any({layout::bad_layout("layout.ranks", fmt::format("there is no rank {} of {}", rank, ranks()),
                                             fmt::format("Give a rank from 0 to {}.", ranks() - 1))});
  }
  const auto& rule = state_->rules.at(static_cast<std::size_t>(axis));
  const auto& places = state_->place_of_rank;
  const std::int64_t place = places.empty() ? rank : places[static_cast<std::size_t>(rank)];
  std::int64_t part = 0;
  for (const std::int64_t named : rule.mesh_axes) {
    part = part * state_->mesh.dims[static_cast<std::size_t>(named)] + coordinate(state_->mesh, place, named);
  }
  return part;
}

std::vector<Interval> Distribution::intervals(std::int64_t rank, std::int64_t axis) const {
  return layout::part_intervals(layout::axis_of(*this, axis), part_of(rank, axis));
}

Interval Distribution::interval(std::int64_t rank, std::int64_t axis) const {
  const layout::Axis cut = layout::axis_of(*this, axis);
  if (cut.rule.kind == Rule::cyclic) {
    layout::throw_if_any({layout::bad_layout(
        "layout.cyclic", fmt::format("axis {} is cyclic: a rank owns several intervals of it", axis),
        "Ask for intervals(rank, axis).")});
  }
  return layout::part_interval(cut, part_of(rank, axis));
}

Box Distribution::box(std::int64_t rank) const {
  Box box;
  box.reserve(state_->shape.size());
  for (std::int64_t axis = 0; axis < ndim(); ++axis) box.push_back(interval(rank, axis));
  return box;
}

Shape Distribution::local_shape(std::int64_t rank) const {
  Shape shape;
  shape.reserve(state_->shape.size());
  for (std::int64_t axis = 0; axis < ndim(); ++axis) {
    shape.push_back(layout::part_size(layout::axis_of(*this, axis), part_of(rank, axis)));
  }
  return shape;
}

std::int64_t Distribution::owner(std::int64_t axis, std::int64_t index) const {
  const layout::Axis cut = layout::axis_of(*this, axis);
  if (index < 0 || index >= cut.extent) {
    layout::throw_if_any({layout::bad_layout("layout.index", fmt::format("axis {} has no index {}", axis, index),
                                             fmt::format("Give an index in [0, {}).", cut.extent))});
  }
  return layout::owner(cut, index);
}

std::vector<OwnedInterval> Distribution::overlaps(std::int64_t axis, Interval wanted) const {
  return layout::owned_overlaps(layout::axis_of(*this, axis), wanted);
}

bool Distribution::operator==(const Distribution& other) const {
  if (state_ == other.state_) return true;
  return state_->shape == other.state_->shape && state_->mesh == other.state_->mesh &&
         state_->rules == other.state_->rules;
}

}  // namespace loadstone
