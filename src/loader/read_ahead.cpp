#include "loader/read_ahead.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "loader/stream_source.hpp"
#include "loader/tile_plan.hpp"

namespace loadstone::loader {
namespace {

/// Whether a failure may be of any of the batches that were being read. Where nothing comes back any more, or a stop
/// was asked for, there is no use in looking for the one.
bool may_be_of_another(const Status& status, const io::Engine& engine) {
  return status.code() != Code::cancelled && status.code() != Code::deadline && !engine.has_lost_requests();
}

}  // namespace

ReadAhead::ReadAhead(Session& session, const Dataset& dataset, const LoadOptions& options, const BatchCuts& cuts,
                     StreamPlan plan)
    : session_(session),
      dataset_(dataset),
      options_(options),
      cuts_(cuts),
      plan_(std::move(plan)),
      memory_(plan_.ahead, plan_.batch_bytes, session.settings().engine.huge_pages) {}

DistributedArray ReadAhead::next(const std::function<void(const Progress&)>& progress) {
  if (!thread_.joinable()) {
    const auto read = [this, first = next_, tells = static_cast<bool>(progress)] {
      Status status = guarded([&] { return read_from(first, tells); });
      if (!status.ok()) line_.put_failure(std::move(status));
    };
    thread_ = std::jthread(read);
  }
  Result<BatchLine::Ready> batch = line_.take(next_, progress);
  if (!batch.ok()) {
    thread_.join();
    throw_if_failed(std::move(batch).status());
  }
  memory_.hand_over(*batch->block);
  ++next_;
  return std::move(batch->array);
}

Status ReadAhead::agreed(std::string_view phase, Status status) {
  comm::Agreement& agreement = session_.agreement();
  if (status.failure().rank < 0 && status.code() != Code::cancelled) status.failure().rank = agreement.rank();
  name_shards(status.failure(), dataset_);
  return agreement.verdict(phase, std::move(status));
}

Status ReadAhead::read_from(std::int64_t first, bool tells_progress) {
  auto index = session_.ledger().try_reserve(plan_.metadata_bytes, Use::metadata);
  if (!index.ok()) return agreed("allocate", std::move(index).status());
  auto engine = session_.engine();
  if (!engine.ok()) return agreed("allocate", std::move(engine).status());
  return read_batches(first, {session_, dataset_, options_, cuts_, plan_, tells_progress, **engine, memory_, line_});
}

/// One run for all. If it fails, whose failure that is is not known: each batch that was being read is read again on
/// its own, so that the good ones before it still come, and then all others as before.
Status ReadAhead::read_batches(std::int64_t first, const StreamParts& parts) {
  auto pool = make_staging_pool(session_.shelf(), plan_.budgeting, session_.settings().engine.huge_pages);
  if (!pool.ok()) return agreed("allocate", std::move(pool).status());
  std::int64_t alone_until = 0;
  while (first < cuts_.count()) {
    const bool alone = first < alone_until;
    StreamSource source(parts, {first, alone ? first + 1 : cuts_.count()}, pool->get());
    Status run = guarded([&] { return parts.engine.run(plan_.files.files, source, session_.interrupt()); });
    Status own = source.finish(run.ok());
    first = source.delivered();
    if (!own.ok()) return own;
    if (run.ok()) continue;
    if (parts.engine.has_lost_requests()) {
      source.keep_for_ever();
      io::keep_for_ever(std::shared_ptr<void>(std::move(*pool)));
    }
    if (alone || !may_be_of_another(run, parts.engine)) return agreed("read", std::move(run));
    alone_until = std::max(source.begun(), first + 1);
  }
  return {};
}

}  // namespace loadstone::loader
