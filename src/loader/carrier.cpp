#include "loader/carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/pages.hpp"
#include "core/text.hpp"
#include "io/huge_pages.hpp"
#include "loader/progress.hpp"
#include "loader/tile_reader.hpp"
#include "loader/totals.hpp"

namespace loadstone::loader {
namespace {

// A round moves at most this much per rank even where nothing is staged, so that verdicts come often (A1).
constexpr std::int64_t kRoundBytes = std::int64_t{1} << 30;

}  // namespace

/// What reading needs beside the engine.
struct Carrier::Reading {
  explicit Reading(Carrier& carrier)
      : files(input_files(*carrier.dataset_, carrier.plan_->moves)),
        stager(carrier.pool_.get(), static_cast<int>(carrier.session_->settings().engine.threads)),
        reader({.problem = &carrier.plan_->problem,
                .sizes = carrier.budgeting_.sizes,
                .tile = carrier.memory_->bytes(),
                .moves = carrier.plan_->moves,
                .first_file = files.first,
                .stager = &stager,
                .sums = carrier.options_->verify == Verify::crc ? &carrier.sums_ : nullptr,
                .agreement = &carrier.session_->agreement(),
                .progress = throttled(carrier.options_->progress, carrier.plan_->bytes_wanted),
                // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the reader owns its functions
                .kernels = carrier.session_->settings().engine.kernels}) {}

  InputFiles files;
  Stager stager;
  TileReader reader;
};

Carrier::~Carrier() = default;

Carrier::Carrier(Session& session, const Dataset& dataset, const LoadOptions& options)
    : session_(&session),
      dataset_(&dataset),
      options_(&options),
      sums_(dataset),
      fresh_before_(session.shelf().fresh_bytes()) {}

Status Carrier::make_plan(int ranks) {
  auto problem = make_problem(*dataset_, *options_, ranks, session_->settings());
  if (!problem.ok()) return std::move(problem).status();
  auto budgeting = plan::fit_budget(*problem);
  if (!budgeting.ok()) return std::move(budgeting).status();
  budgeting_ = std::move(budgeting).value();
  plan_ = plan_tile(std::move(problem).value(), session_->agreement().rank());
  return {};
}

void Carrier::plan(int ranks) {
  session_->verdict("plan", guarded([&] { return make_plan(ranks); }));
}

/// Whether the caller's memory is what this rank's tile needs.
Status Carrier::fits_tile(const Destination& out) const {
  const Shape shape = plan_->problem.target.local_shape(session_->agreement().rank());
  const DType& dtype = plan_->problem.result_dtype;
  const bool same_dtype = !out.dtype || *out.dtype == dtype;
  // A name does not tell the byte order.
  const bool by_name = same_dtype || out.dtype->name() != dtype.name();
  const auto text = [&](const DType& type) { return by_name ? type.name() : type.str(); };
  const std::string tile = fmt::format("{} {}", text(dtype), shape_text(shape));
  const bool same_shape = !out.shape || *out.shape == shape;
  const bool same_bytes = static_cast<std::int64_t>(out.bytes.size()) == plan_->tile_bytes;
  if (same_shape && same_dtype && same_bytes) return {};
  const std::string given = fmt::format("{} {}, {} bytes", out.dtype ? text(*out.dtype) : std::string("bytes"),
                                        out.shape ? shape_text(*out.shape) : std::string(), out.bytes.size());
  return Fault{.code = Code::mismatch,
               .kind = "out",
               .message = fmt::format("the memory to load into is {}; this rank's tile is {}, {} bytes", given, tile,
                                      plan_->tile_bytes),
               .remedy = fmt::format("Give memory for {}, or none", tile),
               .item = "out",
               .wanted = tile,
               .got = given};
}

Status Carrier::take_memory() {
  auto index = session_->ledger().try_reserve(plan_->problem.metadata_bytes, Use::metadata);
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
    if (Status fits = fits_machine(plan_->tile_bytes, session_->settings()); !fits.ok()) return fits;
    memory_ = std::make_shared<TileMemory>(plan_->tile_bytes, huge, plan_->landing_skew());
  }
  auto pool = make_staging_pool(session_->shelf(), budgeting_, huge);
  if (!pool.ok()) return std::move(pool).status();
  pool_ = std::move(pool).value();
  reading_ = std::make_unique<Reading>(*this);
  return {};
}

void Carrier::allocate() {
  session_->verdict("allocate", guarded([&] { return take_memory(); }));
}

void Carrier::read() {
  comm::Agreement& agreement = session_->agreement();
  TileReader& reader = reading_->reader;
  const std::int64_t rounds = plan::rounds_of(plan_->problem);
  for (std::int64_t round = 0; round < rounds; ++round) {
    // The last round takes what gaps have added to the plan's even share.
    reader.open_round(round + 1 == rounds ? std::numeric_limits<std::int64_t>::max() : kRoundBytes);
    Status mine = guarded([&] { return engine_->run(reading_->files.files, reader, session_->interrupt()); });
    Status placed = reader.finish_placing();
    if (mine.ok()) mine = std::move(placed);
    if (!mine.ok()) {
      if (mine.failure().rank < 0 && mine.code() != Code::cancelled) mine.failure().rank = agreement.rank();
      name_shards(mine.failure(), *dataset_);
      agreement.announce_failure();
      keep_what_the_kernel_holds();
    }
    session_->verdict("read", std::move(mine), rounds > 1 ? round : -1);
  }
  place_seconds_ = reader.place_seconds();
  reading_.reset();
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the reader owns its functions; the check loses them on the way

/// A request that never came back may still write to the tile or to a staging block: neither is given back.
void Carrier::keep_what_the_kernel_holds() {
  if (!engine_->has_lost_requests()) return;
  io::keep_for_ever(memory_);
  io::keep_for_ever(std::shared_ptr<void>(std::move(pool_)));
}

void Carrier::verify() {
  if (options_->verify != Verify::crc) return;
  Status mine = sums_.check(session_->agreement(), plan_->problem.target.is_replicated(), stats_.unverified_bytes);
  session_->verdict("verify", std::move(mine));
}

void Carrier::fill_stats() {
  const std::int64_t unverified = stats_.unverified_bytes;
  stats_ = engine_->take_stats();
  stats_.unverified_bytes = unverified;
  stats_.seconds_by_step["place"] = place_seconds_;
  stats_.bytes_wanted = plan_->bytes_wanted;
  tell_budget(session_->ledger(), stats_);
  stats_.staging_bytes_new = session_->shelf().fresh_bytes() - fresh_before_;
  stats_.huge_page_bytes = io::bytes_on_huge_pages(memory_->bytes()).value_or(-1);
  io::count_refusals(memory_->pages(), stats_.fallbacks);
  for (const auto& [reason, times] : session_->shelf().take_refusals()) stats_.fallbacks[reason] += times;
  stats_.backend = engine_->backend_name();
}

DistributedArray Carrier::publish(const CommPtr& comm) {
  std::optional<DistributedArray> array;
  session_->verdict("publish", guarded_action([&] {
                      fill_stats();
                      array.emplace(plan_->problem.target, plan_->problem.result_dtype, comm, std::move(memory_));
                      array->stats = std::move(stats_);
                    }));
  return std::move(*array);
}

}  // namespace loadstone::loader
