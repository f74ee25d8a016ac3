// The text of a distribution, the way back, and its hash.
//
//   text   = "replicated" | "split=" axis | "counts=" axis ":" numbers | "cyclic=" axis ":" block | "mesh=" mesh
//   mesh   = number { "x" number } [ "@" rank { "/" rank } ] [ ":" rule { "," rule } ]
//   rule   = axis "<-" mesh-axis { "+" mesh-axis } [ ":counts=" number { "/" number } | ":cyclic=" block ]
#include "core/hash.hpp"
#include "core/text.hpp"
#include "layout/checks.hpp"

#include <loadstone/distribution.hpp>

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace loadstone {
namespace {

using Rule = AxisRule::Kind;
using Numbers = std::vector<std::int64_t>;

// ---- out ----

Numbers lengths_of(const Numbers& offsets) {
  Numbers lengths;
  for (std::size_t i = 1; i < offsets.size(); ++i) lengths.push_back(offsets[i] - offsets[i - 1]);
  return lengths;
}

std::string mesh_rule_text(std::size_t axis, const AxisRule& rule) {
  std::string text = fmt::format("{}<-{}", axis, fmt::join(rule.mesh_axes, "+"));
  if (rule.kind == Rule::cuts) text += fmt::format(":counts={}", fmt::join(lengths_of(rule.offsets), "/"));
  if (rule.kind == Rule::cyclic) text += fmt::format(":cyclic={}", rule.block);
  return text;
}

std::string mesh_text(const Distribution& distribution) {
  std::string text = fmt::format("mesh={}", fmt::join(distribution.mesh().dims, "x"));
  const Numbers& order = distribution.mesh().order;
  if (!order.empty()) text += fmt::format("@{}", fmt::join(order, "/"));
  char separator = ':';
  for (std::size_t axis = 0; axis < distribution.rules().size(); ++axis) {
    const AxisRule& rule = distribution.rules()[axis];
    if (rule.kind == Rule::whole) continue;
    text += std::exchange(separator, ',') + mesh_rule_text(axis, rule);
  }
  return text;
}

std::string line_text(std::int64_t axis, const AxisRule& rule) {
  if (rule.kind == Rule::cuts) return fmt::format("counts={}:{}", axis, fmt::join(lengths_of(rule.offsets), ","));
  if (rule.kind == Rule::cyclic) return fmt::format("cyclic={}:{}", axis, rule.block);
  return fmt::format("split={}", axis);
}

// ---- in ----

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> parts_between(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// Both sides of the first separator; the second is empty if there is none.
std::pair<std::string_view, std::optional<std::string_view>> cut_at(std::string_view text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + separator.size())};
}

std::optional<Numbers> numbers(std::string_view text, char separator) {
  Numbers values;
  for (const std::string_view part : parts_between(text, separator)) {
    const auto value = number(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// "axis:rest" with a number before the colon.
std::optional<std::pair<std::int64_t, std::string_view>> axis_and_rest(std::string_view text) {
  const auto [axis_text, rest] = cut_at(text, ":");
  const auto axis = number(axis_text);
  if (!axis || !rest) return std::nullopt;
  return std::pair{*axis, *rest};
}

Numbers offsets_of(const Numbers& lengths) {
  Numbers offsets{0};
  for (const std::int64_t length : lengths) {
    // Wraps on nonsense, which the checks of the cuts then refuse, as offsets that decrease.
    offsets.push_back(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(offsets.back()) + static_cast<std::uint64_t>(length)));
  }
  return offsets;
}

/// The part after the mesh axes: nothing, "counts=1/3" or "cyclic=4".
std::optional<AxisRule> mesh_rule(Numbers mesh_axes, std::optional<std::string_view> how) {
  AxisRule rule{Rule::even, {}, 0, std::move(mesh_axes)};
  if (!how) return rule;
  const auto [kind, value] = cut_at(*how, "=");
  const auto values = numbers(value.value_or(""), '/');
  if (!values) return std::nullopt;
  if (kind == "counts") {
    rule.kind = Rule::cuts;
    rule.offsets = offsets_of(*values);
    return rule;
  }
  if (kind != "cyclic" || values->size() != 1) return std::nullopt;
  rule.kind = Rule::cyclic;
  rule.block = values->front();
  return rule;
}

/// One "0<-1+0:cyclic=4" into its place.
bool read_mesh_rule(std::string_view text, std::vector<AxisRule>& rules) {
  const auto [axis_text, rest] = cut_at(text, "<-");
  const auto axis = number(axis_text);
  if (!axis || !rest || *axis < 0 || *axis >= static_cast<std::int64_t>(rules.size())) return false;
  AxisRule& place = rules[static_cast<std::size_t>(*axis)];
  if (place.kind != Rule::whole) return false;
  const auto [names, how] = cut_at(*rest, ":");
  const auto mesh_axes = numbers(names, '+');
  if (!mesh_axes) return false;
  const auto rule = mesh_rule(*mesh_axes, how);
  if (rule) place = *rule;
  return rule.has_value();
}

struct MeshText {
  Mesh mesh;
  std::vector<AxisRule> rules;
};

std::optional<MeshText> read_mesh(std::string_view text, std::size_t ndim) {
  MeshText read;
  read.rules.resize(ndim);
  const auto [grid, rules_text] = cut_at(text, ":");
  const auto [dims_text, order_text] = cut_at(grid, "@");
  auto dims = numbers(dims_text, 'x');
  auto order = order_text ? numbers(*order_text, '/') : Numbers{};
  if (!dims || !order) return std::nullopt;
  read.mesh = {std::move(*dims), std::move(*order)};
  if (!rules_text) return read;
  for (const std::string_view rule : parts_between(*rules_text, ',')) {
    if (!read_mesh_rule(rule, read.rules)) return std::nullopt;
  }
  return read;
}

/// Refuses a distribution over another number of ranks than asked for.
Distribution over(std::int64_t ranks, Distribution distribution) {
  if (distribution.ranks() == ranks) return distribution;
  Fault fault = layout::bad_layout(
      "layout.ranks",
      fmt::format("{} is for {}, not {}", distribution.to_string(), counted(distribution.ranks(), "rank"), ranks),
      fmt::format("Give a distribution over {}.", counted(ranks, "rank")));
  fault.wanted = ranks;
  fault.got = distribution.ranks();
  layout::throw_if_any({std::move(fault)});
  return distribution;
}

std::optional<Distribution> read(std::string_view text, const Shape& shape, std::int64_t ranks) {
  if (text == "replicated" || text == "split=none") return Distribution::replicated(shape, ranks);
  const auto [kind, value] = cut_at(text, "=");
  if (!value) return std::nullopt;
  if (kind == "split") {
    const auto axis = number(*value);
    if (axis) return Distribution::even(shape, *axis, ranks);
  } else if (kind == "counts") {
    const auto given = axis_and_rest(*value);
    const auto lengths = given ? numbers(given->second, ',') : std::nullopt;
    if (lengths) return over(ranks, Distribution::counts(shape, given->first, *lengths));
  } else if (kind == "cyclic") {
    const auto given = axis_and_rest(*value);
    const auto block = given ? number(given->second) : std::nullopt;
    if (block) return Distribution::cyclic(shape, given->first, *block, ranks);
  } else if (kind == "mesh") {
    auto mesh = read_mesh(*value, shape.size());
    if (mesh) return over(ranks, Distribution::mesh(shape, std::move(mesh->mesh), std::move(mesh->rules)));
  }
  return std::nullopt;
}

// ---- hash ----

class Bytes {
 public:
  void add(std::int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> shift & 0xFF));
    }
  }
  void add(const Numbers& values) {
    add(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) add(value);
  }
  [[nodiscard]] std::string hash() const { return xxh3_128(bytes_).hex(); }

 private:
  std::vector<std::byte> bytes_;
};

constexpr std::int64_t kHashVersion = 1;

}  // namespace

std::string Distribution::to_string() const {
  const bool line = mesh().dims.size() == 1 && mesh().order.empty();
  if (line && is_replicated()) return "replicated";
  const auto axis = split();
  if (line && axis) return line_text(*axis, rules()[static_cast<std::size_t>(*axis)]);
  return mesh_text(*this);
}

Distribution Distribution::parse(std::string_view text, Shape shape, std::int64_t ranks) {
  auto distribution = read(text, shape, ranks);
  if (!distribution) {
    layout::throw_if_any({layout::bad_layout(
        "layout.text",
        fmt::format("\"{}\" is no distribution of an array of shape {}", escape(text), shape_text(shape)),
        "Write split=1, counts=0:1,3,3,3, cyclic=1:64, mesh=2x2:0<-0,1<-1 or replicated.")});
  }
  return *std::move(distribution);
}

std::string Distribution::hash() const {
  Bytes bytes;
  bytes.add(kHashVersion);
  bytes.add(shape());
  bytes.add(mesh().dims);
  bytes.add(mesh().order);
  for (const AxisRule& rule : rules()) {
    bytes.add(static_cast<std::int64_t>(rule.kind));
    bytes.add(rule.block);
    bytes.add(rule.offsets);
    bytes.add(rule.mesh_axes);
  }
  return bytes.hash();
}

}  // namespace loadstone
