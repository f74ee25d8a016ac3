#include "io/counters.hpp"

#include <algorithm>
#include <utility>

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

void Counters::count_files(std::vector<std::string> paths) {
  if (std::ranges::equal(files_, paths, {}, &OfFile::path)) return;
  files_.clear();
  files_.resize(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) files_[i].path = std::move(paths[i]);
}

void Counters::clear() {
  std::vector<OfFile> files = std::move(files_);
  for (OfFile& file : files) {
    OfFile fresh;
    fresh.path = std::move(file.path);
    file = std::move(fresh);
  }
  *this = {};
  files_ = std::move(files);
}

void Counters::add_fallback(std::int64_t file, const std::string& reason) {
  ++fallbacks[reason];
  if (files_.empty()) return;
  std::vector<std::string>& reasons = files_[static_cast<std::size_t>(file)].fallbacks;
  if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
}

void Counters::add_seconds(std::int64_t file, double seconds) {
  if (files_.empty()) return;
  double& slowest = files_[static_cast<std::size_t>(file)].slowest_seconds;
  slowest = std::max(slowest, seconds);
}

FileStats Counters::stats_of(const OfFile& file) {
  const auto bytes = [&](Way way) { return file.bytes_by_way[static_cast<std::size_t>(way)]; };
  FileStats stats;
  stats.path = file.path;
  stats.bytes_read = file.bytes_read();
  stats.bytes_buffered = bytes(Way::buffered);
  stats.bytes_direct = bytes(Way::direct);
  stats.bytes_mapped = bytes(Way::mapped);
  stats.bytes_in_place = file.bytes_in_place;
  stats.bytes_staged = file.bytes_staged;
  stats.requests = file.requests;
  stats.short_reads = file.short_reads;
  stats.retries = file.retries;
  stats.opens = file.opens;
  stats.slowest_seconds = file.slowest_seconds;
  stats.fallbacks = file.fallbacks;
  return stats;
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
  for (const OfFile& file : files_) {
    if (file.is_touched()) stats.files.push_back(stats_of(file));
  }
  std::ranges::sort(stats.files, {}, &FileStats::path);
  return stats;
}

}  // namespace loadstone::io
