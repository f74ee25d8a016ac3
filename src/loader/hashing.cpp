#include "loader/hashing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "loader/input.hpp"
#include "loader/progress.hpp"

namespace loadstone::loader {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
constexpr std::int64_t kSmallestBlockBytes = std::int64_t{64} * 1024;
constexpr std::int64_t kMostBlocks = 32;

bool is_of_one_shard(const Failure& failure) {
  const Fault& fault = failure.first();
  return fault.shard && (fault.code == Code::io || fault.code == Code::changed || fault.code == Code::truncated ||
                         fault.code == Code::not_found);
}

}  // namespace

Status Hashing::run() {
  if (Status status = make_pool(); !status.ok()) return status;
  auto engine = session_.engine();
  if (!engine.ok()) return std::move(engine).status();
  std::vector<Job> left = my_share();
  for (const Job& job : left) bytes_wanted_ += file(job.file).identity.size;
  while (!left.empty()) {
    Status status = hash(**engine, left);
    if (status.ok()) return {};
    if (!is_of_one_shard(status.failure())) return status;
    const std::int64_t bad = shard(*status.failure().first().shard).file;
    faults_.push_back(status.failure().first());
    std::erase_if(left, [&](const Job& job) { return job.file == bad; });
  }
  return {};
}

Status Hashing::make_pool() {
  const std::int64_t budget = session_.ledger().limit_bytes();
  if (budget < kSmallestBlockBytes) {
    return Fault{.code = Code::budget,
                 .kind = "budget",
                 .message = fmt::format("verifying needs {} bytes, the budget is {}", kSmallestBlockBytes, budget),
                 .remedy = fmt::format("Set {} or more", named(Option::budget, kSmallestBlockBytes)),
                 .wanted = kSmallestBlockBytes,
                 .got = budget};
  }
  block_bytes_ = std::min(kBlockBytes, round_down(budget, kSmallestBlockBytes));
  const std::int64_t blocks = std::clamp<std::int64_t>(budget / block_bytes_, 1, kMostBlocks);
  pool_ =
      std::make_unique<io::StagingPool>(session_.shelf(), block_bytes_, blocks, session_.settings().engine.huge_pages);
  // Taken now, so that whatever else the engine reserves, reading can always go on.
  return pool_->require_block();
}

std::vector<Hashing::Job> Hashing::sound_files() const {
  std::set<std::int64_t> troubled;
  for (const Fault& fault : survey_.faults) {
    if (fault.shard) troubled.insert(*fault.shard);
  }
  std::vector<Job> jobs(survey_.dataset.files.size());
  for (std::size_t i = 0; i < survey_.dataset.shards.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    Job& job = jobs[static_cast<std::size_t>(shard(index).file)];
    job.file = shard(index).file;
    if (!troubled.contains(index)) job.shards.push_back(index);
  }
  for (Job& job : jobs) {
    std::ranges::stable_sort(job.shards, {}, [&](std::int64_t index) { return shard(index).data_offset; });
  }
  return jobs;
}

/// Whole files, balanced by bytes: the same answer on every rank.
std::vector<Hashing::Job> Hashing::my_share() const {
  std::vector<Job> jobs = sound_files();
  std::int64_t total = 0;
  for (const DataFile& one : survey_.dataset.files) total += one.identity.size + 1;
  std::vector<Job> mine;
  std::int64_t before = 0;
  for (Job& job : jobs) {
    const double part = static_cast<double>(before) / static_cast<double>(total);
    before += file(job.file).identity.size + 1;
    const bool here = static_cast<int>(part * session_.agreement().size()) == session_.agreement().rank();
    if (here && !job.shards.empty()) mine.push_back(std::move(job));
  }
  return mine;
}

void Hashing::take(const Job& job, const FileSums& sums) {
  for (std::size_t i = 0; i < job.shards.size(); ++i) sums_[job.shards[i]] = {sums.xxh3_128, sums.crc32c[i]};
}

/// Jobs that are done leave the list.
Status Hashing::hash(io::Engine& engine, std::vector<Job>& jobs) {
  std::vector<io::InputFile> files;
  std::vector<HashJob> work;
  for (const Job& job : jobs) {
    files.push_back(input_file(file(job.file), *std::ranges::min_element(job.shards)));
    HashJob& one = work.emplace_back(HashJob{file(job.file).identity.size, {}});
    for (const std::int64_t index : job.shards) one.payloads.push_back({shard(index).data_offset, shard(index).nbytes});
  }
  FileHasher hasher(std::move(work), *pool_, block_bytes_, throttled(options_.progress, bytes_wanted_), [this] {
    return session_.agreement().peer_has_failed() ? comm::Agreement::peer_failed() : Status();
  });
  Status status = engine.run(files, hasher, session_.interrupt());
  const LoadStats stats = engine.take_stats();
  bytes_read_ += stats.bytes_read;
  for (const auto& [reason, times] : stats.fallbacks) fallbacks_[reason] += times;
  for (const auto& [reason, times] : session_.shelf().take_refusals()) fallbacks_[reason] += times;
  // A request that never came back may still write to a block.
  if (engine.has_lost_requests()) io::keep_for_ever(std::shared_ptr<void>(std::move(pool_)));
  std::vector<Job> left;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& sums = hasher.sums()[i];
    if (sums) take(jobs[i], *sums);
    if (!sums) left.push_back(std::move(jobs[i]));
  }
  jobs = std::move(left);
  return status;
}

}  // namespace loadstone::loader
