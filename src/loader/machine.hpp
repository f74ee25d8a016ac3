// What this machine has to give: memory that is free, also under a control group, and cores that we may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loadstone::loader {

struct Machine {
  std::int64_t available_bytes = 0;  ///< memory that can be had now without swapping
  int cores = 1;                     ///< that this process may run on
};

/// Asks the kernel. 8 GiB are assumed where it does not tell.
Machine this_machine();

/// "MemAvailable" of /proc/meminfo. Pure.
std::optional<std::int64_t> available_of(std::string_view meminfo);

/// The least headroom (limit - usage) over the memory control groups of a process and those above them.
/// @param proc_cgroup  text of /proc/self/cgroup
/// @param mount        where the control groups are: /sys/fs/cgroup
std::optional<std::int64_t> cgroup_headroom(std::string_view proc_cgroup, const std::string& mount);

}  // namespace loadstone::loader
