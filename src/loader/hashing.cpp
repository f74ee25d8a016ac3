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
  std::vector<std::int64_t> left = my_share();
  for (const std::int64_t index : left)
    bytes_wanted_ += survey_.dataset.shards[static_cast<std::size_t>(index)].identity.size;
  while (!left.empty()) {
    Status status = hash(**engine, left);
    if (status.ok()) return {};
    if (!is_of_one_shard(status.failure())) return status;
    const std::int64_t bad = *status.failure().first().shard;
    faults_.push_back(status.failure().first());
    std::erase_if(left, [&](std::int64_t shard) { return shard == bad || sums_.contains(shard); });
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
  pool_ = std::make_unique<io::StagingPool>(session_.ledger(), block_bytes_, blocks);
  // Taken now, so that whatever else the engine reserves, reading can always go on.
  auto first = pool_->try_lease();
  return first.ok() ? Status() : std::move(first).status();
}

/// Whole shards, balanced by bytes: the same answer on every rank.
std::vector<std::int64_t> Hashing::my_share() const {
  const std::vector<Shard>& shards = survey_.dataset.shards;
  std::set<std::int64_t> troubled;
  for (const Fault& fault : survey_.faults) {
    if (fault.shard) troubled.insert(*fault.shard);
  }
  std::int64_t total = 0;
  for (const Shard& shard : shards) total += shard.identity.size + 1;
  std::vector<std::int64_t> mine;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const double part = static_cast<double>(before) / static_cast<double>(total);
    before += shards[i].identity.size + 1;
    const auto index = static_cast<std::int64_t>(i);
    const bool here = static_cast<int>(part * session_.agreement().size()) == session_.agreement().rank();
    if (here && !troubled.contains(index)) mine.push_back(index);
  }
  return mine;
}

Status Hashing::hash(io::Engine& engine, const std::vector<std::int64_t>& shards) {
  std::vector<io::InputFile> files;
  std::vector<HashJob> jobs;
  for (const std::int64_t index : shards) {
    const Shard& shard = survey_.dataset.shards[static_cast<std::size_t>(index)];
    files.push_back(input_file(shard, index));
    jobs.push_back({shard.identity.size, shard.data_offset, shard.nbytes});
  }
  FileHasher hasher(std::move(jobs), *pool_, block_bytes_, throttled(options_.progress, bytes_wanted_), [this] {
    return session_.agreement().peer_has_failed() ? comm::Agreement::peer_failed() : Status();
  });
  Status status = engine.run(files, hasher, session_.interrupt());
  bytes_read_ += engine.take_stats().bytes_read;
  // A request that never came back may still write to a block.
  if (engine.has_lost_requests()) io::keep_for_ever(std::shared_ptr<void>(std::move(pool_)));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (hasher.sums()[i]) sums_[shards[i]] = *hasher.sums()[i];
  }
  return status;
}

}  // namespace loadstone::loader
