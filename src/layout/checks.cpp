#include "layout/checks.hpp"

#include "core/checked.hpp"
#include "core/status.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace loadstone::layout {
namespace {

constexpr std::size_t kShown = 5;  // AR-A11: the first 5 offenders, then "+K more"

/// "entry 0 is -1, entry 2 is -2, +3 more"
template <class Offends>
std::string offenders(std::span<const std::int64_t> values, Offends offends) {
  std::string text;
  std::size_t found = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!offends(i)) continue;
    if (++found <= kShown) text += fmt::format("{}entry {} is {}", found > 1 ? ", " : "", i, values[i]);
  }
  return found > kShown ? text + fmt::format(", +{} more", found - kShown) : text;
}

Fault bad_map(std::string message, std::string remedy, Value wanted, Value got) {
  Fault fault = bad_layout("tiles.map", std::move(message), std::move(remedy));
  fault.wanted = std::move(wanted);
  fault.got = std::move(got);
  return fault;
}

std::optional<std::int64_t> checked_sum(std::span<const std::int64_t> values) {
  std::int64_t sum = 0;
  for (const std::int64_t value : values) {
    const auto next = checked_add(sum, value);
    if (!next) return std::nullopt;
    sum = *next;
  }
  return sum;
}

Fault wrong_number(std::string_view what, std::int64_t wanted, std::int64_t got) {
  return bad_map(fmt::format("the map has {}, but {} wanted", counted(got, what),
                             wanted == 1 ? "1 is" : fmt::format("{} are", wanted)),
                 fmt::format("Give {}.", counted(wanted, what)), wanted, got);
}

/// Marks a place; false if it was marked before.
bool first_time(std::vector<bool>& seen, std::int64_t at) {
  const bool before = seen[static_cast<std::size_t>(at)];
  seen[static_cast<std::size_t>(at)] = true;
  return !before;
}

Faults check_order(const Mesh& mesh, std::int64_t ranks) {
  if (mesh.order.empty()) return {};
  const auto given = static_cast<std::int64_t>(mesh.order.size());
  if (given == ranks) {
    std::vector<bool> seen(mesh.order.size());
    const auto fresh = [&](std::int64_t rank) { return rank >= 0 && rank < ranks && first_time(seen, rank); };
    if (std::all_of(mesh.order.begin(), mesh.order.end(), fresh)) return {};
  }
  Fault fault = bad_layout("layout.mesh", fmt::format("the order of the mesh is no permutation of {} ranks", ranks),
                           fmt::format("Name each rank from 0 to {} once.", ranks - 1));
  fault.wanted = ranks;
  fault.got = given;
  return {std::move(fault)};
}

/// Faults of the mesh axes that a rule names, and the parts they make.
Faults check_mesh_axes(const AxisRule& rule, std::size_t axis, const Mesh& mesh, std::vector<bool>& used) {
  Faults faults;
  for (const std::int64_t named : rule.mesh_axes) {
    const bool known = named >= 0 && named < static_cast<std::int64_t>(mesh.dims.size());
    if (known && first_time(used, named)) continue;
    faults.push_back(bad_layout(
        "layout.mesh",
        known
            ? fmt::format("mesh axis {} is named twice, the second time by array axis {}", named, axis)
            : fmt::format("array axis {} names mesh axis {}, but the mesh has {} axes", axis, named, mesh.dims.size()),
        "Name each mesh axis at most once."));
  }
  return faults;
}

Faults check_rule(const AxisRule& rule, std::int64_t extent, std::int64_t parts) {
  switch (rule.kind) {
    case AxisRule::Kind::cuts:
      return check_cuts(rule.offsets, extent, parts);
    case AxisRule::Kind::cyclic:
      return check_block(rule.block);
    case AxisRule::Kind::whole:
    case AxisRule::Kind::even:
      break;
  }
  return {};
}

}  // namespace

Fault bad_layout(std::string kind, std::string message, std::string remedy) {
  Fault fault;
  fault.code = Code::bad_argument;
  fault.kind = std::move(kind);
  fault.message = std::move(message);
  fault.remedy = std::move(remedy);
  return fault;
}

Faults check_shape(std::span<const std::int64_t> shape) {
  Faults faults;
  if (static_cast<std::int64_t>(shape.size()) > kMaxAxes) {
    faults.push_back(bad_layout(
        "layout.shape", fmt::format("{} axes were given, at most {} work", shape.size(), kMaxAxes), "Join axes."));
  }
  const std::string negative = offenders(shape, [&](std::size_t i) { return shape[i] < 0; });
  if (!negative.empty()) {
    faults.push_back(bad_layout("layout.shape", "an extent is negative: " + negative, "Give extents of 0 or more."));
  } else if (!checked_nbytes(shape, 1)) {
    faults.push_back(bad_layout("layout.shape",
                                fmt::format("the extents {} multiply to more than 2^63 - 1", shape_text(shape)),
                                "Give a smaller shape."));
  }
  return faults;
}

Faults check_ranks(std::int64_t ranks) {
  if (ranks >= 1) return {};
  Fault fault = bad_layout("layout.ranks", fmt::format("{} ranks were given", ranks), "Give at least one rank.");
  fault.wanted = std::int64_t{1};
  fault.got = ranks;
  return {std::move(fault)};
}

Faults check_axis(std::int64_t axis, std::int64_t ndim) {
  if (ndim == 0 || (axis >= -ndim && axis < ndim)) return {};
  Fault fault = bad_layout(
      "split", fmt::format("axis {} is out of range for an array of {} dimension{}", axis, ndim, ndim == 1 ? "" : "s"),
      fmt::format("Give an axis from {} to {}.", -ndim, ndim - 1));
  fault.wanted = fmt::format("{} to {}", -ndim, ndim - 1);
  fault.got = axis;
  return {std::move(fault)};
}

Faults check_counts(std::span<const std::int64_t> lengths, std::int64_t extent, std::optional<std::int64_t> ranks) {
  Faults faults;
  const auto given = static_cast<std::int64_t>(lengths.size());
  const std::int64_t needed = ranks.value_or(std::max<std::int64_t>(given, 1));
  if (given != needed) faults.push_back(wrong_number("length", needed, given));
  const std::string negative = offenders(lengths, [&](std::size_t i) { return lengths[i] < 0; });
  if (!negative.empty()) {
    faults.push_back(bad_map("a length is negative: " + negative, "Give lengths of 0 or more.", std::int64_t{0},
                             *std::min_element(lengths.begin(), lengths.end())));
  }
  const auto sum = checked_sum(lengths);
  if (!sum) {
    faults.push_back(bad_map("the lengths add up to more than 2^63 - 1",
                             fmt::format("Give lengths that add up to {}.", extent), extent, std::string("overflow")));
  } else if (*sum != extent) {
    const std::uint64_t apart = *sum > extent ? static_cast<std::uint64_t>(*sum) - static_cast<std::uint64_t>(extent)
                                              : static_cast<std::uint64_t>(extent) - static_cast<std::uint64_t>(*sum);
    faults.push_back(bad_map(fmt::format("the lengths add up to {}, but the axis has {}: {} too {}", *sum, extent,
                                         apart, *sum > extent ? "many" : "few"),
                             fmt::format("Give lengths that add up to {}.", extent), extent, *sum));
  }
  return faults;
}

Faults check_cuts(std::span<const std::int64_t> offsets, std::int64_t extent, std::optional<std::int64_t> parts) {
  Faults faults;
  const auto given = static_cast<std::int64_t>(offsets.size());
  const std::int64_t needed = parts ? *parts + 1 : std::max<std::int64_t>(given, 2);
  if (given != needed) faults.push_back(wrong_number("offset", needed, given));
  if (offsets.empty()) return faults;
  if (offsets.front() != 0) {
    faults.push_back(bad_map(fmt::format("the first offset is {}", offsets.front()), "Begin at 0.", std::int64_t{0},
                             offsets.front()));
  }
  const std::string falling = offenders(offsets, [&](std::size_t i) { return i > 0 && offsets[i] < offsets[i - 1]; });
  if (!falling.empty()) {
    faults.push_back(bad_layout("tiles.map", "an offset is below the one before it: " + falling,
                                "Give offsets that never decrease."));
  }
  if (offsets.back() != extent) {
    faults.push_back(bad_map(fmt::format("the last offset is {}, but the axis has {}", offsets.back(), extent),
                             fmt::format("End at {}.", extent), extent, offsets.back()));
  }
  return faults;
}

Faults check_block(std::int64_t block) {
  if (block >= 1) return {};
  Fault fault =
      bad_layout("layout.block", fmt::format("a block of {} was given", block), "Give a block of at least 1.");
  fault.wanted = std::int64_t{1};
  fault.got = block;
  return {std::move(fault)};
}

Faults check_mesh(const Mesh& mesh) {
  if (mesh.dims.empty()) return {bad_layout("layout.mesh", "the mesh has no axes", "Give at least one.")};
  const std::string small = offenders(mesh.dims, [&](std::size_t i) { return mesh.dims[i] < 1; });
  if (!small.empty()) {
    return {bad_layout("layout.mesh", "a mesh axis has no ranks: " + small, "Give sizes of at least 1.")};
  }
  const auto ranks = checked_nbytes(mesh.dims, 1);
  if (!ranks) {
    return {bad_layout("layout.mesh", fmt::format("a mesh of {} has more than 2^63 - 1 ranks", shape_text(mesh.dims)),
                       "Give a smaller mesh.")};
  }
  return check_order(mesh, *ranks);
}

Faults check_rules(std::span<const std::int64_t> shape, const Mesh& mesh, std::span<const AxisRule> rules) {
  if (rules.size() != shape.size()) {
    return {bad_layout("layout.mesh",
                       fmt::format("rules for {} axes were given, but the array has {}", rules.size(), shape.size()),
                       "Give one rule an axis.")};
  }
  Faults faults;
  std::vector<bool> used(mesh.dims.size());
  for (std::size_t axis = 0; axis < rules.size(); ++axis) {
    Faults names = check_mesh_axes(rules[axis], axis, mesh, used);
    if (rules[axis].kind == AxisRule::Kind::whole && !rules[axis].mesh_axes.empty()) {
      names.push_back(bad_layout("layout.mesh", fmt::format("array axis {} is whole and yet names mesh axes", axis),
                                 "Name none, or give a rule that cuts."));
    }
    if (names.empty()) {
      std::int64_t parts = 1;
      for (const std::int64_t named : rules[axis].mesh_axes) parts *= mesh.dims[static_cast<std::size_t>(named)];
      add(faults, check_rule(rules[axis], shape[axis], parts));
    }
    add(faults, std::move(names));
  }
  return faults;
}

void throw_if_any(Faults faults) {
  if (faults.empty()) return;
  Failure failure;
  failure.total_faults = static_cast<std::int64_t>(faults.size());
  failure.faults = std::move(faults);
  throw_if_failed(std::move(failure));
}

void add(Faults& all, Faults more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace loadstone::layout
