// A selection resolved against a shape: per axis of the dataset, where it starts, how it steps, whether it stays.
#pragma once

#include "core/status.hpp"

#include <loadstone/distribution.hpp>
#include <loadstone/options.hpp>
#include <loadstone/selection.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace loadstone::plan {

struct SelectedAxis {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;  ///< selected indices; 1 for an integer
  bool dropped = false;    ///< an integer drops its axis
  bool operator==(const SelectedAxis&) const = default;
};

struct ResolvedSelection {
  std::vector<SelectedAxis> axes;  ///< one an axis of the dataset
  /// Shape of the selected array: counts of the axes that stay.
  [[nodiscard]] Shape shape() const;
  /// The same with dropped axes kept at extent 1: one an axis of the dataset.
  [[nodiscard]] Shape full_shape() const;
};

/// NumPy's meaning; integers out of range, too many entries, steps below 1 are `bad_argument`.
Result<ResolvedSelection> resolve_selection(const Shape& shape, const std::optional<Slice>& rows,
                                            const Selection& select);

}  // namespace loadstone::plan
