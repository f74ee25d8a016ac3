#include "io/counters.hpp"

namespace loadstone::io {

std::string_view to_string(Way way) noexcept {
  switch (way) {
    case Way::buffered:
      return "buffered";
    case Way::direct:
      return "direct";
    case Way::mapped:
      return "mapped";
  }
  return "buffered";
}

LoadStats Counters::stats(const std::string& backend) const {
  LoadStats stats;
  stats.bytes_wanted = bytes_wanted;
  stats.bytes_in_place = bytes_in_place;
  stats.bytes_staged = bytes_staged;
  for (int i = 0; i < kWays; ++i) {
    const std::int64_t bytes = bytes_by_way[static_cast<std::size_t>(i)];
    if (bytes != 0) stats.bytes_by_way[std::string(to_string(static_cast<Way>(i)))] = bytes;
    stats.bytes_read += bytes;
  }
  stats.requests = requests;
  stats.short_reads = short_reads;
  stats.retries = retries;
  stats.opens = opens;
  stats.fallbacks = fallbacks;
  stats.seconds_by_step = {
      {"wait", seconds_waiting}, {"copy", seconds_copying}, {"probe", seconds_probing}, {"fault", seconds_faulting}};
  stats.windows = windows;
  stats.depth = depth;
  stats.backend = backend;
  return stats;
}

}  // namespace loadstone::io
