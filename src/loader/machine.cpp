#include "loader/machine.hpp"

#include "core/checked.hpp"
#include "io/file.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

namespace loadstone::loader {
namespace {

constexpr std::int64_t kAssumedBytes = std::int64_t{8} << 30;
constexpr std::size_t kMostText = std::size_t{64} << 10;  // such files tell no size and have a few hundred bytes

/// A small file of /proc or /sys; empty if it cannot be read.
std::string text_of(const std::string& path) {
  const io::Opener opener;
  Result<io::Descriptor> file = opener.open({"", path});
  if (!file.ok()) return {};
  std::string text(kMostText, '\0');
  Result<std::int64_t> got = io::read_at(file->get(), 0, std::as_writable_bytes(std::span(text)), path);
  text.resize(got.ok() ? static_cast<std::size_t>(*got) : 0);
  return text;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

void lower(std::optional<std::int64_t>& least, std::optional<std::int64_t> other) {
  if (other && (!least || *other < *least)) least = other;
}

/// Takes one group in: version 2 names first, then those of version 1. "max" is no limit.
void add_group(GroupMemory& memory, const std::string& group) {
  std::optional<std::int64_t> limit = number_in(text_of(group + "/memory.max"));
  std::optional<std::int64_t> usage = number_in(text_of(group + "/memory.current"));
  if (!limit) limit = number_in(text_of(group + "/memory.limit_in_bytes"));
  if (!usage) usage = number_in(text_of(group + "/memory.usage_in_bytes"));
  if (!limit) return;
  lower(memory.limit, limit);
  lower(memory.headroom, std::max<std::int64_t>(*limit - usage.value_or(0), 0));
}

/// "0::/a/b" gives "/a/b", "5:memory:/a" gives "/memory/a"; empty for other controllers.
std::string group_of(std::string_view line) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return {};
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  std::string path(line.substr(second + 1));
  if (controllers.empty()) return path;
  return controllers == "memory" ? "/memory" + path : std::string();
}

}  // namespace

std::optional<std::int64_t> meminfo_bytes(std::string_view meminfo, std::string_view name) {
  const std::string key = std::string(name) + ':';
  const std::size_t at = meminfo.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> kib = number_in(meminfo.substr(at + key.size()));
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

GroupMemory cgroup_memory(std::string_view proc_cgroup, const std::string& mount) {
  GroupMemory least;
  while (!proc_cgroup.empty()) {
    const std::size_t end = std::min(proc_cgroup.find('\n'), proc_cgroup.size());
    std::string group = group_of(proc_cgroup.substr(0, end));
    proc_cgroup.remove_prefix(std::min(end + 1, proc_cgroup.size()));
    while (!group.empty()) {
      add_group(least, mount + (group == "/" ? "" : group));
      group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
    }
  }
  add_group(least, mount);
  return least;
}

Machine this_machine() {
  Machine machine;
  const std::string meminfo = text_of("/proc/meminfo");
  const GroupMemory group = cgroup_memory(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
  std::optional<std::int64_t> available = meminfo_bytes(meminfo, "MemAvailable");
  lower(available, group.headroom);
  machine.available_bytes = available.value_or(kAssumedBytes);
  const std::int64_t swap = meminfo_bytes(meminfo, "SwapTotal").value_or(0);
  if (const auto total = meminfo_bytes(meminfo, "MemTotal")) machine.memory_bytes = *total + swap;
  if (group.limit) machine.group_bytes = checked_add(*group.limit, swap).value_or(*group.limit);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) machine.cores = std::max(1, CPU_COUNT(&set));
  return machine;
}

}  // namespace loadstone::loader
