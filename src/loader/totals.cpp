#include "loader/totals.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "loader/wire.hpp"

namespace loadstone::loader {
namespace {

/// Names of the map entries of all ranks: ranks may have read by different ways.
template <class Number>
std::set<std::string> names_everywhere(const std::map<std::string, Number>& mine, comm::Agreement& agreement) {
  std::string text;
  for (const auto& [name, number] : mine) text += name + '\n';
  const comm::Gathered all = value_or_throw(agreement.allgather(std::as_bytes(std::span(text)), "totals"));
  const std::string_view lines(reinterpret_cast<const char*>(all.bytes.data()), all.bytes.size());
  std::set<std::string> names;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    names.emplace(lines.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

constexpr double kNanoseconds = 1e9;

void reduce(std::map<std::string, std::int64_t>& numbers, Reduce op, comm::Agreement& agreement) {
  const std::set<std::string> names = names_everywhere(numbers, agreement);
  std::vector<std::int64_t> values;
  for (const std::string& name : names) values.push_back(numbers[name]);
  throw_if_failed(agreement.allreduce(values, op));
  std::size_t at = 0;
  for (const std::string& name : names) numbers[name] = values[at++];
}

void worst(std::map<std::string, double>& seconds, comm::Agreement& agreement) {
  std::map<std::string, std::int64_t> whole;
  for (const auto& [name, value] : seconds) whole[name] = static_cast<std::int64_t>(value * kNanoseconds);
  reduce(whole, Reduce::max, agreement);
  for (const auto& [name, value] : whole) seconds[name] = static_cast<double>(value) / kNanoseconds;
}

void add(FileStats& sum, const FileStats& part) {
  for (const auto count : {&FileStats::bytes_read, &FileStats::bytes_buffered, &FileStats::bytes_direct,
                           &FileStats::bytes_mapped, &FileStats::bytes_in_place, &FileStats::bytes_staged,
                           &FileStats::requests, &FileStats::short_reads, &FileStats::retries, &FileStats::opens}) {
    sum.*count += part.*count;
  }
  sum.slowest_seconds = std::max(sum.slowest_seconds, part.slowest_seconds);
  for (const std::string& reason : part.fallbacks) {
    if (std::ranges::find(sum.fallbacks, reason) == sum.fallbacks.end()) sum.fallbacks.push_back(reason);
  }
}

/// Counts by file, whoever read of it and however often.
class FilesByPath {
 public:
  void add_all(const std::vector<FileStats>& files) {
    for (const FileStats& file : files) {
      const auto [found, is_new] = by_path_.try_emplace(file.path, file);
      if (!is_new) add(found->second, file);
    }
  }
  /// In the order of the paths.
  std::vector<FileStats> take() {
    std::vector<FileStats> files;
    for (auto& [path, file] : by_path_) files.push_back(std::move(file));
    return files;
  }

 private:
  std::map<std::string, FileStats> by_path_;
};

std::vector<FileStats> files_of_all(const std::vector<FileStats>& mine, comm::Agreement& agreement) {
  const std::vector<std::byte> bytes = encode(mine);
  const comm::Gathered all = value_or_throw(agreement.allgather(bytes, "totals"));
  FilesByPath files;
  all.for_each([&](std::span<const std::byte> part) {
    files.add_all(decode_file_stats(part).value_or(std::vector<FileStats>{}));
  });
  return files.take();
}

template <class Number>
void add(std::map<std::string, Number>& sum, const std::map<std::string, Number>& part) {
  for (const auto& [name, number] : part) sum[name] += number;
}

}  // namespace

void tell_budget(const Ledger& ledger, LoadStats& stats) {
  stats.budget_bytes = ledger.limit_bytes();
  stats.peak_bytes = ledger.peak_bytes();
  for (int use = 0; use < kUses; ++use) {
    const auto which = static_cast<Use>(use);
    if (ledger.peak_bytes(which) > 0) stats.peak_by_use[std::string(to_string(which))] = ledger.peak_bytes(which);
  }
}

LoadStats sum(LoadStats so_far, const LoadStats& next) {
  for (const auto count : {&LoadStats::bytes_wanted, &LoadStats::bytes_read, &LoadStats::bytes_in_place,
                           &LoadStats::bytes_staged, &LoadStats::requests, &LoadStats::short_reads, &LoadStats::retries,
                           &LoadStats::opens, &LoadStats::unverified_bytes, &LoadStats::staging_bytes_new}) {
    so_far.*count += next.*count;
  }
  for (const auto peak : {&LoadStats::depth, &LoadStats::budget_bytes, &LoadStats::peak_bytes}) {
    so_far.*peak = std::max(so_far.*peak, next.*peak);
  }
  add(so_far.bytes_by_way, next.bytes_by_way);
  add(so_far.windows, next.windows);
  add(so_far.fallbacks, next.fallbacks);
  add(so_far.seconds_by_step, next.seconds_by_step);
  for (const auto& [use, peak] : next.peak_by_use) {
    std::int64_t& highest = so_far.peak_by_use[use];
    highest = std::max(highest, peak);
  }
  if (next.huge_page_bytes >= 0)
    so_far.huge_page_bytes = std::max<std::int64_t>(so_far.huge_page_bytes, 0) + next.huge_page_bytes;
  so_far.cpu_seconds += next.cpu_seconds;
  so_far.seconds += next.seconds;
  so_far.backend = next.backend;
  FilesByPath files;
  files.add_all(so_far.files);
  files.add_all(next.files);
  so_far.files = files.take();
  return so_far;
}

LoadStats total_over_ranks(const LoadStats& stats, const CommPtr& comm, const Interrupt& interrupt) {
  comm::Agreement agreement(comm, interrupt);
  LoadStats all = stats;
  const std::array<std::int64_t*, 11> sums = {
      &all.bytes_wanted,     &all.bytes_read,      &all.bytes_in_place,   &all.bytes_staged,
      &all.requests,         &all.short_reads,     &all.retries,          &all.opens,
      &all.unverified_bytes, &all.huge_page_bytes, &all.staging_bytes_new};
  std::vector<std::int64_t> values;
  for (const std::int64_t* const sum : sums) values.push_back(*sum);
  throw_if_failed(agreement.allreduce(values, Reduce::sum));
  for (std::size_t i = 0; i < sums.size(); ++i) *sums[i] = values[i];
  std::array<std::int64_t, 6> peaks = {all.peak_bytes,
                                       all.budget_bytes,
                                       static_cast<std::int64_t>(all.seconds * kNanoseconds),
                                       static_cast<std::int64_t>(all.cpu_seconds * kNanoseconds),
                                       all.depth,
                                       all.huge_page_bytes < 0 ? 1 : 0};
  throw_if_failed(agreement.allreduce(peaks, Reduce::max));
  all.peak_bytes = peaks[0];
  all.budget_bytes = peaks[1];
  all.seconds = static_cast<double>(peaks[2]) / kNanoseconds;
  all.cpu_seconds = static_cast<double>(peaks[3]) / kNanoseconds;
  all.depth = peaks[4];
  if (peaks[5] != 0) all.huge_page_bytes = -1;
  reduce(all.bytes_by_way, Reduce::sum, agreement);
  reduce(all.windows, Reduce::sum, agreement);
  reduce(all.fallbacks, Reduce::sum, agreement);
  reduce(all.peak_by_use, Reduce::max, agreement);
  worst(all.seconds_by_step, agreement);
  all.files = files_of_all(stats.files, agreement);
  return all;
}

}  // namespace loadstone::loader
