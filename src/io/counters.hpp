// What an engine counts while it runs.
#pragma once

#include <loadstone/stats.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

namespace loadstone::io {

/// How bytes are fetched.
enum class Way : std::uint8_t { buffered, direct, mapped };
inline constexpr int kWays = 3;
std::string_view to_string(Way way) noexcept;

struct Counters {
  std::int64_t bytes_wanted = 0;
  std::int64_t bytes_in_place = 0;
  std::int64_t bytes_staged = 0;
  std::array<std::int64_t, kWays> bytes_by_way{};
  std::int64_t requests = 0;
  std::int64_t short_reads = 0;
  std::int64_t retries = 0;
  std::int64_t opens = 0;
  std::map<std::string, std::int64_t> fallbacks;
  std::map<std::string, std::int64_t> windows;  ///< by what was found of them
  std::int64_t depth = 0;                       ///< most requests that were in flight
  double seconds_waiting = 0;
  double seconds_copying = 0;
  double seconds_probing = 0;
  double seconds_faulting = 0;

  [[nodiscard]] std::int64_t bytes_read() const {
    return std::accumulate(bytes_by_way.begin(), bytes_by_way.end(), std::int64_t{0});
  }
  void add_read(Way way, std::int64_t bytes) { bytes_by_way[static_cast<std::size_t>(way)] += bytes; }
  [[nodiscard]] LoadStats stats(const std::string& backend) const;
};

}  // namespace loadstone::io
