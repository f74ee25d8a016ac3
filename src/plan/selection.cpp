#include "plan/selection.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace loadstone {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view text, std::string_view item) {
  Fault fault;
  fault.code = Code::bad_argument;
  fault.kind = "select";
  fault.message =
      fmt::format("\"{}\" in the selection \"{}\" is no integer, no slice with a step of at least 1, and not ...",
                  escape(item), escape(text));
  fault.remedy = "Write one integer or begin:end:step an axis, separated by commas, such as \"1::7,-2\".";
  fault.item = "select";
  throw_if_failed(Status(std::move(fault)));
  std::abort();
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A number or nothing between the colons; false for anything else.
bool read_bound(std::string_view text, std::optional<std::int64_t>& bound) {
  text = trimmed(text);
  if (text.empty()) return true;
  bound = integer(text);
  return bound.has_value();
}

std::optional<Slice> slice_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':')) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  if (parts.size() > 3) return std::nullopt;
  Slice slice;
  std::optional<std::int64_t> step = 1;
  if (!read_bound(parts[0], slice.begin) || !read_bound(parts[1], slice.end)) return std::nullopt;
  if (parts.size() == 3 && !read_bound(parts[2], step)) return std::nullopt;
  if (*step < 1) return std::nullopt;
  slice.step = *step;
  return slice;
}

}  // namespace

Selection parse_selection(std::string_view text) {
  Selection selection;
  std::string_view left = text;
  for (bool more = true; more;) {
    const std::size_t comma = left.find(',');
    const std::string_view item = trimmed(left.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) left.remove_prefix(comma + 1);
    if (item == "...") {
      selection.emplace_back(Ellipsis{});
    } else if (item.find(':') == std::string_view::npos) {
      const auto index = integer(item);
      if (!index) refuse(text, item);
      selection.emplace_back(*index);
    } else {
      const auto slice = slice_of(item);
      if (!slice) refuse(text, item);
      selection.emplace_back(*slice);
    }
  }
  return selection;
}

namespace plan {
namespace {

Fault bad_entry(std::string_view option, std::string message, std::string remedy, Value wanted, Value got) {
  Fault fault;
  fault.code = Code::bad_argument;
  fault.kind = option;
  fault.item = option;
  fault.message = std::move(message);
  fault.remedy = std::move(remedy);
  fault.wanted = std::move(wanted);
  fault.got = std::move(got);
  return fault;
}

/// NumPy's clipping: a negative bound counts from the end, then both are brought into [0, extent].
std::int64_t clipped(std::int64_t bound, std::int64_t extent) {
  if (bound < 0) bound = bound < -extent ? 0 : bound + extent;
  return std::min(bound, extent);
}

SelectedAxis resolved(const Slice& slice, std::int64_t extent) {
  const std::int64_t begin = clipped(slice.begin.value_or(0), extent);
  const std::int64_t end = clipped(slice.end.value_or(extent), extent);
  const std::int64_t count = begin < end ? (end - begin - 1) / slice.step + 1 : 0;
  // With one index or none the step means nothing; 1 keeps later products small.
  return {begin, count > 1 ? slice.step : 1, count, false};
}

class Resolver {
 public:
  Resolver(const Shape& shape, std::string_view option) : shape_(shape), option_(option) {
    for (const std::int64_t extent : shape) result_.axes.push_back({0, 1, extent, false});
  }

  void apply(std::size_t axis, const Slice& slice) {
    if (slice.step < 1) {
      faults_.push_back(bad_entry(option_, fmt::format("axis {} has a step of {}", axis, slice.step),
                                  "Give steps of at least 1.", std::int64_t{1}, slice.step));
      return;
    }
    result_.axes[axis] = resolved(slice, shape_[axis]);
  }

  void apply(std::size_t axis, std::int64_t index) {
    const std::int64_t extent = shape_[axis];
    if (index < -extent || index >= extent) {
      const std::string range = extent == 0 ? "none" : fmt::format("{} to {}", -extent, extent - 1);
      faults_.push_back(bad_entry(
          option_, fmt::format("index {} is out of range for axis {} with an extent of {}", index, axis, extent),
          extent == 0 ? "Select a slice." : fmt::format("Give an index from {}.", range), range, index));
      return;
    }
    result_.axes[axis] = {index < 0 ? index + extent : index, 1, 1, true};
  }

  /// Its axes are whole as they are.
  void apply(std::size_t /*axis*/, const Ellipsis& /*rest*/) {}

  void refuse(Fault fault) { faults_.push_back(std::move(fault)); }

  Result<ResolvedSelection> take() && {
    if (faults_.empty()) return std::move(result_);
    Failure failure;
    failure.total_faults = static_cast<std::int64_t>(faults_.size());
    failure.faults = std::move(faults_);
    return failure;
  }

 private:
  const Shape& shape_;
  std::string option_;
  ResolvedSelection result_;
  std::vector<Fault> faults_;
};

}  // namespace

Shape ResolvedSelection::shape() const {
  Shape shape;
  for (const SelectedAxis& axis : axes) {
    if (!axis.dropped) shape.push_back(axis.count);
  }
  return shape;
}

Shape ResolvedSelection::full_shape() const {
  Shape shape;
  for (const SelectedAxis& axis : axes) shape.push_back(axis.count);
  return shape;
}

Result<ResolvedSelection> resolve_selection(const Shape& shape, const std::optional<Slice>& rows,
                                            const Selection& select) {
  Resolver resolver(shape, rows ? "rows" : "select");
  if (rows && !select.empty()) {
    resolver.refuse(bad_entry("rows", "rows and a selection were both given",
                              fmt::format("Give {} or {}.", named(Option::rows), named(Option::select)), {}, {}));
    return std::move(resolver).take();
  }
  const auto is_ellipsis = [](const auto& entry) { return std::holds_alternative<Ellipsis>(entry); };
  const auto ellipses = static_cast<std::size_t>(std::ranges::count_if(select, is_ellipsis));
  if (ellipses > 1) {
    resolver.refuse(bad_entry("select", fmt::format("the selection has {} ellipses", ellipses),
                              "Give one ... at most, and a colon for each other whole axis.", std::int64_t{1},
                              static_cast<std::int64_t>(ellipses)));
    return std::move(resolver).take();
  }
  const std::size_t given = rows ? 1 : select.size() - ellipses;
  if (given > shape.size()) {
    resolver.refuse(bad_entry(rows ? "rows" : "select",
                              fmt::format("{} of the array's axes are selected, but it has {}", given, shape.size()),
                              fmt::format("Give at most {}, one an axis.", shape.size()),
                              static_cast<std::int64_t>(shape.size()), static_cast<std::int64_t>(given)));
    return std::move(resolver).take();
  }
  if (rows) resolver.apply(0, *rows);
  std::size_t axis = 0;
  for (const auto& entry : select) {
    std::visit([&](const auto& one) { resolver.apply(axis, one); }, entry);
    axis += is_ellipsis(entry) ? shape.size() - given : 1;
  }
  return std::move(resolver).take();
}

}  // namespace plan
}  // namespace loadstone
