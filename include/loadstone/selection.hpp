// Which part of a dataset is loaded: one integer or slice an axis, with NumPy's meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace loadstone {

/// begin:end:step with NumPy's meaning: negative indices count from the end, missing ones are the ends, step >= 1.
struct Slice {
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
  std::int64_t step = 1;
  bool operator==(const Slice&) const = default;
};

/// "...": as many whole axes as the other entries leave. At most one in a selection.
struct Ellipsis {
  bool operator==(const Ellipsis&) const = default;
};

/// One entry an axis, from the first, after an ellipsis up to the last; missing ones are whole. An integer drops its
/// axis.
using Selection = std::vector<std::variant<std::int64_t, Slice, Ellipsis>>;

/// Parses "1::7,-2" or "...,0". Error{bad_argument} on anything else.
Selection parse_selection(std::string_view text);

}  // namespace loadstone
