#include "loader/carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/checked.hpp"
#include "core/option_words.hpp"
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
  for (const Shard& shard : dataset.shards) {
    bytes += static_cast<std::int64_t>(sizeof(Shard) + shard.path.size() + shard.root.size() + shard.name.size());
  }
  return bytes + static_cast<std::int64_t>(dataset.row_index.size() * sizeof(std::int64_t));
}

Fault no_device(const std::string& device) {
  const bool known = device.starts_with("cuda");
  return {.code = known ? Code::unsupported : Code::bad_argument,
          .kind = "device",
          .message = known ? "tiles in device memory are not built yet" : "\"" + escape(device) + "\" is no device",
          .remedy = "Set " + named(Option::device, "host"),
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

/// Whether the caller's memory is what this rank's tile needs.
Status Carrier::fits_tile(const Destination& out) const {
  const Shape shape = problem_->target.local_shape(session_->agreement().rank());
  const DType& dtype = problem_->result_dtype;
  const std::string tile = fmt::format("{} {}", dtype.name(), shape_text(shape));
  const bool same_shape = !out.shape || *out.shape == shape;
  const bool same_dtype = !out.dtype || *out.dtype == dtype;
  const bool same_bytes = static_cast<std::int64_t>(out.bytes.size()) == tile_bytes();
  if (same_shape && same_dtype && same_bytes) return {};
  const std::string given = fmt::format("{} {}, {} bytes", out.dtype ? out.dtype->name() : std::string("bytes"),
                                        out.shape ? shape_text(*out.shape) : std::string(), out.bytes.size());
  return Fault{.code = Code::mismatch,
               .kind = "out",
               .message = fmt::format("the memory to load into is {}; this rank's tile is {}, {} bytes", given, tile,
                                      tile_bytes()),
               .remedy = fmt::format("Give memory for {}, or none", tile),
               .item = "out",
               .wanted = tile,
               .got = given};
}

Status Carrier::take_memory() {
  auto index = session_->ledger().try_reserve(problem_->metadata_bytes, Use::metadata);
  if (!index.ok()) return std::move(index).status();
  index_ = std::move(index).value();
  auto engine = session_->engine();
  if (!engine.ok()) return std::move(engine).status();
  engine_ = *engine;
  const std::string& huge = session_->settings().engine.huge_pages;
  if (options_->out) {
    Status fits = fits_tile(*options_->out);
    if (!fits.ok()) return fits;
    memory_ = std::make_shared<TileMemory>(options_->out->bytes, options_->out->owner);
  } else {
    memory_ = std::make_shared<TileMemory>(tile_bytes(), huge, landing_skew());
  }
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

std::vector<io::InputFile> Carrier::input_files() const {
  std::vector<io::InputFile> files;
  if (moves_.empty()) return files;
  const auto [first, last] =
      std::minmax_element(moves_.begin(), moves_.end(), [](const auto& a, const auto& b) { return a.shard < b.shard; });
  for (std::int64_t shard = first->shard; shard <= last->shard; ++shard) {
    files.push_back(input_file(dataset_->shards[static_cast<std::size_t>(shard)], shard));
  }
  return files;
}

void Carrier::read() {
  comm::Agreement& agreement = session_->agreement();
  const std::vector<io::InputFile> files = input_files();
  TileReader reader({.problem = &*problem_,
                     .sizes = budgeting_.sizes,
                     .tile = memory_->bytes(),
                     .moves = moves_,
                     .first_shard = files.empty() ? 0 : files.front().shard,
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
  stats.huge_page_bytes = bytes_on_huge_pages(memory_->bytes()).value_or(-1);
  stats.backend = engine_->backend_name();
  return {problem_->target, problem_->result_dtype, comm, std::move(memory_)};
}

}  // namespace loadstone::loader
