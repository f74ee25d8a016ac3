// One copy to be timed: what is copied, the thresholds that choose its way, and a check of what arrived.
#pragma once

#include "core/transfer.hpp"

#include "memory.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Where all trials copy from and to: present 2 MiB pages.
struct Places {
  Memory source;
  Memory target;
};
/// @param bytes  of each of the two
Places make_places(std::int64_t bytes);

/// A strided copy, `parts` times: each part begins where the one before it ended, on both sides.
struct Trial {
  loadstone::DType source;
  loadstone::DType target;
  std::vector<loadstone::CopyAxis> axes;
  loadstone::CopyThresholds thresholds;
  std::int64_t parts = 1;
};

/// Bytes of the target that are written.
std::int64_t payload_bytes(const Trial& trial);
void carry_out(const Trial& trial, const Places& places, const loadstone::CopyKernels& kernels);
/// Writes a pattern over the target, carries the trial out and looks at every element; empty if all is right, else what
/// is not.
std::string fault_of(const Trial& trial, const Places& places, const loadstone::CopyKernels& kernels);

/// Thresholds that force a whole copy past the cache, or keep it in the cache.
loadstone::CopyThresholds past_cache();
loadstone::CopyThresholds in_cache();

}  // namespace bench
