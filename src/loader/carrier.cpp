#include "loader/carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "core/checked.hpp"
#include "core/pages.hpp"
#include "core/text.hpp"
#include "loader/input.hpp"
#include "loader/progress.hpp"
#include "loader/tile_reader.hpp"

namespace loadstone::loader {
namespace {

// A round moves at most this much per rank even where nothing is staged, so that verdicts come often (A1).
constexpr std::int64_t kRoundBytes = std::int64_t{1} << 30;
// Direct I/O needs no more alignment than this on any file system seen; tiles agree with the file modulo it.
constexpr std::int64_t kLandingAlignment = 4096;
constexpr std::int64_t kCacheLine = 64;

/// What the dataset's index takes, charged to the budget: names, identities, row index.
std::int64_t index_bytes(const Dataset& dataset) {
  std::int64_t bytes = 0;
  for (const DataFile& file : dataset.files) {
    bytes += static_cast<std::int64_t>(sizeof(DataFile) + file.path.size() + file.root.size() + file.name.size());
  }
  bytes += static_cast<std::int64_t>(dataset.shards.size() * sizeof(Shard));
  return bytes + static_cast<std::int64_t>(dataset.row_index.size() * sizeof(std::int64_t));
}

Fault no_device(const std::string& device) {
  const bool known = device.starts_with("cuda");
  return {.code = known ? Code::unsupported : Code::bad_argument,
          .kind = "device",
          .message = known ? "tiles in device memory are not built yet" : "\"" + escape(device) + "\" is no device",
          .remedy = "Give device host",
          .item = "device",
          .got = escape(device)};
}

}  // namespace

Result<plan::Problem> make_problem(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks,
                                   const Settings& settings) {
  if (!options.device.empty() && options.device != "host") return no_device(options.device);
  auto problem = plan::make_problem(dataset, options, ranks);
  if (!problem.ok()) return problem;
  problem->budget_bytes = settings.budget_bytes;
  problem->budget_guessed = settings.budget_guessed;
  problem->metadata_bytes = index_bytes(dataset);
  problem->request_bytes = settings.engine.request_bytes;
  problem->force_staging = settings.engine.landing == "staged";
  return problem;
}

Carrier::Carrier(Session& session, const Dataset& dataset, const LoadOptions& options)
    : session_(&session), dataset_(&dataset), options_(&options), sums_(dataset) {}

std::int64_t Carrier::tile_bytes() const {
  return elements_of(problem_->target.box(session_->agreement().rank())) * problem_->result_dtype.itemsize;
}

Status Carrier::make_plan(int ranks) {
  auto problem = make_problem(*dataset_, *options_, ranks, session_->settings());
  if (!problem.ok()) return std::move(problem).status();
  problem_ = std::move(problem).value();
  auto budgeting = plan::fit_budget(*problem_);
  if (!budgeting.ok()) return std::move(budgeting).status();
  budgeting_ = std::move(budgeting).value();
  moves_ = plan::moves_of(*problem_, session_->agreement().rank());
  for (const plan::Move& move : moves_) bytes_wanted_ += move.wanted_bytes();
  return {};
}

void Carrier::plan(int ranks) {
  session_->verdict("plan", guarded([&] { return make_plan(ranks); }));
}

std::int64_t Carrier::landing_skew() const {
  const plan::Move* largest = nullptr;
  for (const plan::Move& move : moves_) {
    if (largest == nullptr || move.wanted_bytes() > largest->wanted_bytes()) largest = &move;
  }
  if (largest == nullptr || plan::needs_conversion(*problem_, largest->shard)) return 0;
  const std::int64_t skew = (largest->file_offset - largest->tile_offset) % kLandingAlignment;
  const std::int64_t positive = skew < 0 ? skew + kLandingAlignment : skew;
  return positive % kCacheLine == 0 ? positive : 0;
}

Status Carrier::take_memory() {
  auto index = session_->ledger().try_reserve(problem_->metadata_bytes, Use::metadata);
  if (!index.ok()) return std::move(index).status();
  index_ = std::move(index).value();
  auto engine = session_->engine();
  if (!engine.ok()) return std::move(engine).status();
  engine_ = *engine;
  const std::string& huge = session_->settings().engine.huge_pages;
  memory_ = std::make_shared<TileMemory>(tile_bytes(), huge, landing_skew());
  if (!budgeting_.staging_needed) return {};
  pool_ = std::make_unique<io::StagingPool>(session_->ledger(), budgeting_.sizes.block_bytes + plan::kEdgeBytes,
                                            budgeting_.blocks, huge);
  // The first block is taken now, so that whatever else the engine reserves, reading can always go on.
  auto lease = pool_->try_lease();
  return lease.ok() ? Status() : std::move(lease).status();
}

void Carrier::allocate() {
  session_->verdict("allocate", guarded([&] { return take_memory(); }));
}

std::int64_t Carrier::file_of(const plan::Move& move) const {
  return dataset_->shards[static_cast<std::size_t>(move.shard)].file;
}

/// Each file once, however many of its shards are read.
std::vector<io::InputFile> Carrier::input_files() {
  std::vector<io::InputFile> files;
  if (moves_.empty()) return files;
  const auto [first, last] =
      std::ranges::minmax(moves_ | std::views::transform([&](const plan::Move& move) { return file_of(move); }));
  first_file_ = first;
  for (std::int64_t file = first; file <= last; ++file) {
    files.push_back(input_file(dataset_->files[static_cast<std::size_t>(file)], -1));
  }
  for (const plan::Move& move : moves_) {
    std::int64_t& shard = files[static_cast<std::size_t>(file_of(move) - first)].shard;
    shard = shard < 0 ? move.shard : std::min(shard, move.shard);
  }
  return files;
}

/// The engine knows files and offsets; which shard lies there is known here.
void Carrier::name_shards(Failure& failure) const {
  for (Fault& fault : failure.faults) {
    if (!fault.shard || !fault.offset) continue;
    const auto shard_at = [&](std::int64_t at) -> const Shard& {
      return dataset_->shards[static_cast<std::size_t>(at)];
    };
    const std::int64_t file = shard_at(*fault.shard).file;
    std::int64_t start = std::numeric_limits<std::int64_t>::max();
    for (const plan::Move& move : moves_) {
      const Shard& shard = shard_at(move.shard);
      const bool ends_behind = shard.file == file && shard.data_offset + shard.nbytes > *fault.offset;
      if (!ends_behind || shard.data_offset >= start) continue;
      start = shard.data_offset;
      fault.shard = move.shard;
    }
  }
}

void Carrier::read() {
  comm::Agreement& agreement = session_->agreement();
  const std::vector<io::InputFile> files = input_files();
  TileReader reader({.problem = &*problem_,
                     .sizes = budgeting_.sizes,
                     .tile = memory_->bytes(),
                     .moves = moves_,
                     .first_file = first_file_,
                     .pool = pool_.get(),
                     .sums = options_->verify == Verify::crc ? &sums_ : nullptr,
                     .agreement = &agreement,
                     .progress = throttled(options_->progress, bytes_wanted_),
                     .threads = static_cast<int>(session_->settings().engine.threads),
                     .kernels = session_->settings().engine.kernels});
  const std::int64_t rounds = plan::rounds_of(*problem_);
  for (std::int64_t round = 0; round < rounds; ++round) {
    // The last round takes what gaps have added to the plan's even share.
    reader.open_round(round + 1 == rounds ? std::numeric_limits<std::int64_t>::max() : kRoundBytes);
    Status mine = guarded([&] { return engine_->run(files, reader, session_->interrupt()); });
    Status placed = reader.finish_placing();
    if (mine.ok()) mine = std::move(placed);
    if (!mine.ok()) {
      if (mine.failure().rank < 0 && mine.code() != Code::cancelled) mine.failure().rank = agreement.rank();
      name_shards(mine.failure());
      agreement.announce_failure();
      keep_what_the_kernel_holds();
    }
    session_->verdict("read", std::move(mine), rounds > 1 ? round : -1);
  }
  stats_ = engine_->take_stats();
  stats_.seconds_by_step["place"] = reader.place_seconds();
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the reader owns its functions; the check loses them on the way

/// A request that never came back may still write to the tile or to a staging block: neither is given back.
void Carrier::keep_what_the_kernel_holds() {
  if (!engine_->has_lost_requests()) return;
  io::keep_for_ever(memory_);
  io::keep_for_ever(std::shared_ptr<void>(std::move(pool_)));
}

void Carrier::verify() {
  if (options_->verify != Verify::crc) return;
  Status mine = sums_.check(session_->agreement(), problem_->target.is_replicated(), stats_.unverified_bytes);
  session_->verdict("verify", std::move(mine));
}

DistributedArray Carrier::publish(const CommPtr& comm, LoadStats& stats) {
  for (auto& [step, seconds] : stats_.seconds_by_step) stats.seconds_by_step[step] += seconds;
  std::map<std::string, double> steps = std::move(stats.seconds_by_step);
  stats = stats_;
  stats.seconds_by_step = std::move(steps);
  stats.bytes_wanted = bytes_wanted_;
  const Ledger& ledger = session_->ledger();
  stats.budget_bytes = ledger.limit_bytes();
  stats.peak_bytes = ledger.peak_bytes();
  for (int use = 0; use < kUses; ++use) {
    const auto which = static_cast<Use>(use);
    if (ledger.peak_bytes(which) > 0) stats.peak_by_use[std::string(to_string(which))] = ledger.peak_bytes(which);
  }
  stats.backend = engine_->backend_name();
  return {problem_->target, problem_->result_dtype, comm, std::move(memory_)};
}

}  // namespace loadstone::loader
