// What a load did: bytes, peaks, seconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loadstone {

/// What was read of one file. `bytes_in_place` and `bytes_staged` as in LoadStats.
struct FileStats {
  std::string path;
  std::int64_t bytes_read = 0;  ///< the sum of the three ways
  std::int64_t bytes_buffered = 0;
  std::int64_t bytes_direct = 0;
  std::int64_t bytes_mapped = 0;
  std::int64_t bytes_in_place = 0;
  std::int64_t bytes_staged = 0;
  std::int64_t requests = 0;  ///< to a backend; resident pages that threads of ours copy take none
  std::int64_t short_reads = 0;
  std::int64_t retries = 0;
  std::int64_t opens = 0;
  double slowest_seconds = 0;          ///< that a request or a copy of it took; a request until it was looked at again
  std::vector<std::string> fallbacks;  ///< reasons, each once

  bool operator==(const FileStats&) const = default;
};

/// Of one rank, or totals over ranks where stated; times are in seconds. Read may exceed wanted by block rounding.
struct LoadStats {
  std::int64_t bytes_wanted = 0;
  std::int64_t bytes_read = 0;                       ///< sum over `bytes_by_way`; not what a mapping passes over
  std::int64_t bytes_in_place = 0;                   ///< landed in the tile directly, block rounding left out
  std::int64_t bytes_staged = 0;                     ///< went through a block; with gaps that were read, if any
  std::map<std::string, std::int64_t> bytes_by_way;  ///< "buffered", "direct", "mapped"
  std::map<std::string, double> seconds_by_step;     ///< "discover", "plan", "allocate", "read", "wait", "place", ...
  std::map<std::string, std::int64_t> windows;       ///< file windows: "resident", "cold", "mixed", "busy", "unknown"
  std::int64_t requests = 0;
  std::int64_t depth = 0;  ///< most requests in flight; the deepest rank's in totals
  std::int64_t short_reads = 0;
  std::int64_t retries = 0;
  std::map<std::string, std::int64_t> fallbacks;  ///< reason -> times
  std::int64_t opens = 0;
  std::int64_t unverified_bytes = 0;
  std::int64_t budget_bytes = 0;
  std::int64_t peak_bytes = 0;  ///< of the budget; the worst rank's in totals
  std::map<std::string, std::int64_t> peak_by_use;
  std::int64_t staging_bytes_new = 0;  ///< staging memory asked of the system, not taken over from a load before
  std::int64_t huge_page_bytes = -1;   ///< of the tile, on 2 MiB pages; -1: the kernel does not tell (before Linux 6.7)
  double cpu_seconds = 0;              ///< of the process (of all its ranks) during the call; the worst in totals
  double seconds = 0;                  ///< wall clock of the call; the slowest rank's in totals
  std::string backend;
  /// By path; empty unless IoOptions::file_stats. In totals those of all ranks, added up.
  std::vector<FileStats> files;
};

}  // namespace loadstone
