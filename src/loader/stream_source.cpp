#include "loader/stream_source.hpp"

#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "core/pages.hpp"
#include "io/huge_pages.hpp"
#include "loader/progress.hpp"
#include "loader/totals.hpp"

namespace loadstone::loader {
namespace {

// Tags of reads: the batch's number above, the tile reader's own tag below.
constexpr int kBatchShift = 32;
constexpr std::uint64_t kOwnTag = (std::uint64_t{1} << kBatchShift) - 1;

}  // namespace

struct StreamSource::Batch {
  Batch(TilePlan planned, const Dataset& dataset) : plan(std::move(planned)), sums(dataset) {}

  TilePlan plan;
  ShardSums sums;
  BatchMemory::Taken memory;
  std::optional<TileReader> reader;
  std::int64_t in_flight = 0;
  bool was_patient = false;
};

StreamSource::StreamSource(const StreamParts& parts, Interval numbers, io::StagingPool* pool)
    : parts_(parts),
      stager_(pool, static_cast<int>(parts.session.settings().engine.threads)),
      delivered_(numbers.begin),
      end_(numbers.end) {}

StreamSource::~StreamSource() = default;

void StreamSource::fail(std::int64_t number, std::string_view phase, Status status) {
  comm::Agreement& agreement = parts_.session.agreement();
  if (status.failure().rank < 0 && status.code() != Code::cancelled) status.failure().rank = agreement.rank();
  failure_ = agreement.verdict(phase, std::move(status));
  end_ = number;
}

io::ReadSource::Next StreamSource::next(io::Read& read) {
  while (true) {
    if (!handing_out_) {
      if (const Next opened = open_next(); opened != Next::read) return opened;
    }
    if (delivered_ == end_) return Next::end;
    Batch& batch = *open_.back();
    const Next found = batch.reader->next(read);
    if (found == Next::read) {
      read.tag |= static_cast<std::uint64_t>(begun() - 1) << kBatchShift;
      ++batch.in_flight;
    }
    if (found != Next::end) return found;
    handing_out_ = false;
    put_complete();
  }
}

io::ReadSource::Next StreamSource::open_next() {
  while (begun() < end_) {
    if (coming_ == nullptr && !plan_next()) break;
    BatchMemory::Taken memory;
    if (!take_memory(memory)) break;
    if (memory.tile != nullptr) {
      open(std::move(memory));
      return Next::read;
    }
    if (const Next next = wait_for_room(); next != Next::read) return next;
  }
  return Next::end;
}

bool StreamSource::plan_next() {
  const LoadOptions options = options_of_rows(parts_.options, parts_.cuts.batch(begun()));
  Status status = guarded([&]() -> Status {
    auto problem = make_problem(parts_.dataset, options, 1, parts_.session.settings());
    if (!problem.ok()) return std::move(problem).status();
    coming_ = std::make_unique<Batch>(plan_tile(std::move(problem).value(), 0), parts_.dataset);
    return {};
  });
  if (!status.ok()) fail(begun(), "plan", std::move(status));
  return coming_ != nullptr;
}

bool StreamSource::take_memory(BatchMemory::Taken& memory) {
  const TilePlan& plan = coming_->plan;
  const bool patient = !coming_->was_patient && stager_.reads_in_flight() > 0;
  Status status = guarded([&]() -> Status {
    memory = parts_.memory.try_take(plan.tile_bytes, plan.landing_skew(), patient);
    return {};
  });
  coming_->was_patient = memory.worth_waiting;
  const bool good = status.ok();
  if (!good) fail(begun(), "allocate", std::move(status));
  return good;
}

void StreamSource::open(BatchMemory::Taken memory) {
  const std::int64_t number = begun();
  Batch& batch = *coming_;
  batch.memory = std::move(memory);
  std::function<void(const Progress&)> tell;
  if (parts_.tells_progress) tell = [this, number](const Progress& progress) { parts_.line.tell(number, progress); };
  batch.reader.emplace(TileReader::Context{.problem = &batch.plan.problem,
                                           .sizes = parts_.plan.budgeting.sizes,
                                           .tile = batch.memory.tile->bytes(),
                                           .moves = batch.plan.moves,
                                           .first_file = parts_.plan.files.first,
                                           .stager = &stager_,
                                           .sums = parts_.options.verify == Verify::crc ? &batch.sums : nullptr,
                                           .agreement = nullptr,
                                           .progress = throttled(std::move(tell), batch.plan.bytes_wanted),
                                           .kernels = parts_.session.settings().engine.kernels});
  batch.reader->open_round(std::numeric_limits<std::int64_t>::max());
  open_.push_back(std::move(coming_));  // with its reader, or not at all
  handing_out_ = true;
}

io::ReadSource::Next StreamSource::wait_for_room() {
  if (stager_.reads_in_flight() > 0) return Next::later;
  stager_.collect(true);
  put_complete();
  if (stager_.placing() || begun() >= end_) return Next::read;
  return parts_.memory.wait_for_room(parts_.session.interrupt().stop) ? Next::read : Next::end;
}

Status StreamSource::done(const io::Read& read) {
  Batch& batch = *open_[(read.tag >> kBatchShift) - static_cast<std::uint64_t>(delivered_)];
  io::Read own = read;
  own.tag &= kOwnTag;
  --batch.in_flight;
  // The reader remembers a failure: it is told when it is the batch's turn, and those before it are read to their end.
  static_cast<void>(batch.reader->done(own));
  put_complete();
  return {};
}

Status StreamSource::poll() {
  stager_.collect(false);
  put_complete();
  return {};
}

Status StreamSource::finish(bool succeeded) {
  while (stager_.placing()) stager_.collect(true);
  if (!succeeded) return {};
  put_complete();
  return delivered_ == end_ ? std::move(failure_) : Status();
}

void StreamSource::keep_for_ever() {
  for (const auto& batch : open_) io::keep_for_ever(batch->memory.tile);
}

bool StreamSource::is_complete(const Batch& front) const {
  const bool handed_out = !handing_out_ || open_.size() > 1;
  return handed_out && front.in_flight == 0 && !front.reader->placing();
}

void StreamSource::put_complete() {
  while (!open_.empty() && delivered_ < end_ && is_complete(*open_.front())) {
    Batch& front = *open_.front();
    LoadStats stats = parts_.engine.take_stats();
    if (!check(front, stats)) return;
    put(front, std::move(stats));
    open_.pop_front();
    ++delivered_;
  }
}

bool StreamSource::check(Batch& batch, LoadStats& stats) {
  std::string_view phase = "read";
  Status status = batch.reader->finish_placing();
  if (status.ok()) status = check_files(batch);
  if (status.ok() && parts_.options.verify == Verify::crc) {
    phase = "verify";
    status = batch.sums.check(parts_.session.agreement(), false, stats.unverified_bytes);
  }
  const bool good = status.ok();
  if (!good) fail(delivered_, phase, std::move(status));
  return good;
}

/// The engine compares files when it closes them, which may be long after the batch.
Status StreamSource::check_files(const Batch& batch) const {
  std::int64_t last = -1;
  for (const plan::Move& move : batch.plan.moves) {
    const std::int64_t file =
        parts_.dataset.shards[static_cast<std::size_t>(move.shard)].file - parts_.plan.files.first;
    if (std::exchange(last, file) == file) continue;
    if (Status status = parts_.engine.check_file(file); !status.ok()) return status;
  }
  return {};
}

void StreamSource::put(Batch& batch, LoadStats stats) {
  stats.seconds_by_step["place"] = batch.reader->place_seconds();
  stats.bytes_wanted = batch.plan.bytes_wanted;
  tell_budget(parts_.session.ledger(), stats);
  const std::int64_t fresh = parts_.session.shelf().fresh_bytes();
  stats.staging_bytes_new = fresh - std::exchange(fresh_told_, fresh);
  // Asking the kernel takes longer than reading a small batch.
  const std::span<std::byte> tile = batch.memory.tile->bytes();
  const bool may_be_huge = static_cast<std::int64_t>(tile.size()) >= kHugePageBytes;
  stats.huge_page_bytes = may_be_huge ? io::bytes_on_huge_pages(tile).value_or(-1) : 0;
  io::count_refusals(*batch.memory.pages, stats.fallbacks);
  for (const auto& [reason, times] : parts_.session.shelf().take_refusals()) stats.fallbacks[reason] += times;
  plan::Problem& problem = batch.plan.problem;
  DistributedArray array(std::move(problem.target), problem.result_dtype, self_communicator(),
                         std::move(batch.memory.tile));
  array.stats = std::move(stats);
  parts_.line.put({std::move(array), std::move(batch.memory.block)});
}

}  // namespace loadstone::loader
