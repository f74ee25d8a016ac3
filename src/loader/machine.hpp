// What this machine has to give: memory that is free, also under a control group, and cores that we may use.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace loadstone::loader {

struct Machine {
  std::int64_t available_bytes = 0;  ///< memory that can be had now without swapping
  std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< all of it, with swap
  std::int64_t group_bytes = std::numeric_limits<std::int64_t>::max();   ///< that our control group may have, with swap
  int cores = 1;                                                         ///< that this process may run on
};

/// Asks the kernel. 8 GiB are assumed where it does not tell.
Machine this_machine();

/// A line of /proc/meminfo, such as "MemAvailable", in bytes. Pure.
std::optional<std::int64_t> meminfo_bytes(std::string_view meminfo, std::string_view name);

/// The least over the memory control groups of a process and those above them.
struct GroupMemory {
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> headroom;  ///< limit - usage
};
/// @param proc_cgroup  text of /proc/self/cgroup
/// @param mount        where the control groups are: /sys/fs/cgroup
GroupMemory cgroup_memory(std::string_view proc_cgroup, const std::string& mount);

}  // namespace loadstone::loader
