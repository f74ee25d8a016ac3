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
  // Short runs are done 10 million times a second: looking at the clock each time would double what they take.
  constexpr std::int64_t kLookBytes = std::int64_t{64} << 10;
  if (!report) return {};
  return [report = std::move(report), wanted, start = steady_seconds(), last = 0.0,
          seen = std::int64_t{0}](std::int64_t done) mutable {
    if (done - seen < kLookBytes && done < wanted) return;
    seen = done;
    const double now = steady_seconds();
    if (now - last < kEvery && done < wanted) return;
    last = now;
    report({done, wanted, now - start});
  };
}

}  // namespace loadstone::loader
