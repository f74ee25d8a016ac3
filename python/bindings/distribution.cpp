// Distribution, with plain lists and pairs; the Python class around it checks the types of arguments.
#include "bindings.hpp"

#include <loadstone/distribution.hpp>

#include <nanobind/operators.h>

#include <tuple>
#include <utility>

namespace loadstone::python {

namespace {

/// Kind, mesh axes, offsets of cuts, block of cyclic.
using Rule = std::tuple<std::string, std::vector<std::int64_t>, std::vector<std::int64_t>, std::int64_t>;

AxisRule axis_rule(const Rule& rule) {
  const auto& [kind, mesh_axes, offsets, block] = rule;
  AxisRule made;
  made.kind = kind == "even"     ? AxisRule::Kind::even
              : kind == "cuts"   ? AxisRule::Kind::cuts
              : kind == "cyclic" ? AxisRule::Kind::cyclic
                                 : AxisRule::Kind::whole;
  made.offsets = offsets;
  made.block = block;
  made.mesh_axes = mesh_axes;
  return made;
}

Distribution mesh(Shape shape, std::vector<std::int64_t> dims, std::vector<std::int64_t> order,
                  const std::vector<Rule>& rules) {
  std::vector<AxisRule> made;
  made.reserve(rules.size());
  for (const Rule& rule : rules) made.push_back(axis_rule(rule));
  return Distribution::mesh(std::move(shape), {std::move(dims), std::move(order)}, std::move(made));
}

std::pair<std::int64_t, std::int64_t> pair_of(Interval interval) { return {interval.begin, interval.end}; }

}  // namespace

void bind_distribution(nb::module_& m) {
  nb::class_<Distribution>(m, "Distribution", "Which box of a global array each rank owns.")
      .def_static("even", &Distribution::even, "shape"_a, "axis"_a, "ranks"_a)
      .def_static("cuts", &Distribution::cuts, "shape"_a, "axis"_a, "offsets"_a)
      .def_static(
          "counts",
          [](Shape shape, std::int64_t axis, const std::vector<std::int64_t>& lengths) {
            return Distribution::counts(std::move(shape), axis, lengths);
          },
          "shape"_a, "axis"_a, "lengths"_a)
      .def_static("cyclic", &Distribution::cyclic, "shape"_a, "axis"_a, "block"_a, "ranks"_a)
      .def_static("replicated", &Distribution::replicated, "shape"_a, "ranks"_a)
      .def_static("mesh", &mesh, "shape"_a, "dims"_a, "order"_a, "rules"_a)
      .def_static("parse", &Distribution::parse, "text"_a, "shape"_a, "ranks"_a)
      .def_prop_ro("shape", [](const Distribution& d) { return d.shape(); })
      .def_prop_ro("ndim", &Distribution::ndim)
      .def_prop_ro("ranks", &Distribution::ranks)
      .def_prop_ro("split", &Distribution::split)
      .def_prop_ro("is_replicated", &Distribution::is_replicated)
      .def(
          "box", [](const Distribution& d, std::int64_t rank) { return to_pairs(d.box(rank)); }, "rank"_a)
      .def("local_shape", &Distribution::local_shape, "rank"_a)
      .def(
          "interval",
          [](const Distribution& d, std::int64_t rank, std::int64_t axis) { return pair_of(d.interval(rank, axis)); },
          "rank"_a, "axis"_a)
      .def(
          "intervals",
          [](const Distribution& d, std::int64_t rank, std::int64_t axis) { return to_pairs(d.intervals(rank, axis)); },
          "rank"_a, "axis"_a)
      .def("owner", &Distribution::owner, "axis"_a, "index"_a)
      .def("to_string", &Distribution::to_string)
      .def("hash", &Distribution::hash)
      .def("equals", [](const Distribution& a, const Distribution& b) { return a == b; }, "other"_a);
}

}  // namespace loadstone::python
