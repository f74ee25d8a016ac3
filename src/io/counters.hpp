// What an engine counts while it runs.
#pragma once

#include <loadstone/stats.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::io {

/// How bytes are fetched.
enum class Way : std::uint8_t { buffered, direct, mapped };
inline constexpr int kWays = 3;
std::string_view to_string(Way way) noexcept;

/// Of all files, or of one.
struct ReadCounters {
  std::int64_t bytes_in_place = 0;
  std::int64_t bytes_staged = 0;
  std::array<std::int64_t, kWays> bytes_by_way{};
  std::int64_t requests = 0;
  std::int64_t short_reads = 0;
  std::int64_t retries = 0;
  std::int64_t opens = 0;

  [[nodiscard]] bool is_touched() const {
    return opens > 0 || requests > 0 || bytes_read() > 0 || bytes_in_place > 0 || bytes_staged > 0;
  }
  [[nodiscard]] std::int64_t bytes_read() const {
    return std::accumulate(bytes_by_way.begin(), bytes_by_way.end(), std::int64_t{0});
  }
};

struct Counters : ReadCounters {
  std::int64_t bytes_wanted = 0;
  std::map<std::string, std::int64_t> fallbacks;
  std::map<std::string, std::int64_t> windows;  ///< by what was found of them
  std::int64_t depth = 0;                       ///< most requests that were in flight
  double seconds_waiting = 0;
  double seconds_copying = 0;
  double seconds_probing = 0;
  double seconds_faulting = 0;

  /// From now on the files of a run are counted one by one as well. What was counted of others is forgotten, not of the
  /// same files in a run before.
  void count_files(std::vector<std::string> paths);
  [[nodiscard]] bool counts_files() const noexcept { return !files_.empty(); }
  /// Starts anew, with the same files.
  void clear();

  void add_read(std::int64_t file, Way way, std::int64_t bytes) {
    add(file, [&](ReadCounters& all) { all.bytes_by_way[static_cast<std::size_t>(way)] += bytes; });
  }
  void add_landed(std::int64_t file, std::int64_t bytes, bool staged) {
    add(file, [&](ReadCounters& all) { (staged ? all.bytes_staged : all.bytes_in_place) += bytes; });
  }
  void add_request(std::int64_t file) {
    add(file, [](ReadCounters& all) { ++all.requests; });
  }
  void add_short_read(std::int64_t file) {
    add(file, [](ReadCounters& all) { ++all.short_reads; });
  }
  void add_retry(std::int64_t file) {
    add(file, [](ReadCounters& all) { ++all.retries; });
  }
  void add_open(std::int64_t file) {
    add(file, [](ReadCounters& all) { ++all.opens; });
  }
  void add_fallback(std::int64_t file, const std::string& reason);
  /// How long a request took.
  void add_seconds(std::int64_t file, double seconds);

  [[nodiscard]] LoadStats stats(const std::string& backend) const;

 private:
  struct OfFile : ReadCounters {
    std::string path;
    double slowest_seconds = 0;
    std::vector<std::string> fallbacks;
  };

  template <class Add>
  void add(std::int64_t file, const Add& one) {
    one(*this);
    if (!files_.empty()) one(files_[static_cast<std::size_t>(file)]);
  }
  [[nodiscard]] static FileStats stats_of(const OfFile& file);

  std::vector<OfFile> files_;
};

}  // namespace loadstone::io
