// The cases of the table of copy kernels: what is copied, and what time it should take.
#pragma once

#include "trial.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Case {
  std::string name;
  std::string aim;  ///< time over that of memcpy of the same bytes, where there is one
  Trial trial;
};

/// @param bytes    of a copy that goes past the cache
/// @param shipped  by the shipped thresholds; false: forced past the cache, so that small sizes go that way too
std::vector<Case> make_cases(std::int64_t bytes, bool shipped);

}  // namespace bench
