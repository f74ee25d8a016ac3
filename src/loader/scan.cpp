#include "loader/scan.hpp"

#include "loader/file_scan.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace loadstone::loader {
namespace {

// A thread costs about as much as opening two files, and cold headers wait side by side.
constexpr std::size_t kFilesPerThread = 4;
constexpr std::size_t kFilesPerTurn = 4;  // one atomic step a turn: 4 % of what four opens cost
constexpr int kMostThreads = 4;

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

Fault cancelled() {
  Fault fault;
  fault.code = Code::cancelled;
  fault.kind = "cancelled";
  fault.message = "stopped while the shards' headers were read";
  fault.remedy = "Call again.";
  return fault;
}

}  // namespace

std::int32_t Scanned::intern(const Layout& layout) {
  const auto known = std::ranges::find(layouts, layout);
  const auto index = static_cast<std::int32_t>(known - layouts.begin());
  if (known == layouts.end()) layouts.push_back(layout);
  return index;
}

void Scanned::append(Scanned more) {
  std::vector<std::int32_t> renamed;
  for (const Layout& layout : more.layouts) renamed.push_back(intern(layout));
  files.insert(files.end(), more.files.begin(), more.files.end());
  for (Record& record : more.records) {
    if (record.layout >= 0) record.layout = renamed[static_cast<std::size_t>(record.layout)];
    records.push_back(std::move(record));
  }
}

void Scanned::in_shard_order(const FileShards& shards) {
  const std::span<const std::size_t> order = shards.of(0, files.size());
  if (std::ranges::is_sorted(order)) return;
  std::vector<Record> sorted(records.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[order[i]] = std::move(records[i]);
  records = std::move(sorted);
}

Result<Scanned> scan(const Found& found, const FileShards& shards, std::size_t begin, std::size_t end,
                     const io::Opener& opener, const ScanSettings& settings, const Interrupt& interrupt) {
  Scanned scanned;
  scanned.files.resize(end - begin);
  scanned.records.resize(shards.of(begin, end).size());
  LayoutTable layouts(scanned);
  std::atomic<std::size_t> next{begin};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto scan_file = [&](std::size_t file) {
    const std::size_t before = shards.of(begin, file).size();
    const std::span<const std::size_t> here = shards.of(file);
    FileScan one(found, settings.limits, layouts,
                 {file, here, std::span(scanned.records).subspan(before, here.size())});
    scanned.files[file - begin] = one.run(opener);
  };
  const auto scan_turns = [&] {
    while (!interrupt.stop.stop_requested()) {
      const std::size_t from = next.fetch_add(kFilesPerTurn, std::memory_order_relaxed);
      if (from >= end) return;
      for (std::size_t file = from; file < std::min(end, from + kFilesPerTurn); ++file) scan_file(file);
    }
  };
  const auto work = [&] {
    try {
      scan_turns();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      thrown = std::current_exception();
    }
  };
  const int most = settings.threads > 0 ? settings.threads : std::min(kMostThreads, usable_cores());
  const auto threads = std::min(static_cast<std::size_t>(most), scanned.files.size() / kFilesPerThread + 1);
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
  if (interrupt.stop.stop_requested()) return cancelled();
  return scanned;
}

}  // namespace loadstone::loader
