// Progress for people: at most ten reports a second, and the last one.
#pragma once

#include "core/interrupt.hpp"

#include <loadstone/options.hpp>

#include <cstdint>
#include <functional>
#include <utility>

namespace loadstone::loader {

/// A function of the bytes done so far that calls `report` now and then; empty if nobody wants to know.
inline std::function<void(std::int64_t)> throttled(std::function<void(const Progress&)> report, std::int64_t wanted) {
  constexpr double kEvery = 0.1;
  if (!report) return {};
  return [report = std::move(report), wanted, start = steady_seconds(), last = 0.0](std::int64_t done) mutable {
    const double now = steady_seconds();
    if (now - last < kEvery && done < wanted) return;
    last = now;
    report({done, wanted, now - start});
  };
}

}  // namespace loadstone::loader
