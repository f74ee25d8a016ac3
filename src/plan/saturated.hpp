// Totals that are only printed or compared: beyond 63 bits they stay at the largest number.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace loadstone::plan {

[[nodiscard]] constexpr std::int64_t saturated(std::optional<std::int64_t> value) noexcept {
  return value.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace loadstone::plan
