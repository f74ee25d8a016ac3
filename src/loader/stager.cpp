#include "loader/stager.hpp"

#include <list>
#include <utility>

#include "core/interrupt.hpp"

namespace loadstone::loader {
namespace {

// A staged run stands in its block as it stands in the file modulo this, so that direct reads need no copy of their
// own.
constexpr std::int64_t kDirectAlignment = 4096;
static_assert(kDirectAlignment <= plan::kEdgeBytes);

}  // namespace

Result<std::unique_ptr<io::StagingPool>> make_staging_pool(io::SlabShelf& shelf, const plan::Budgeting& budgeting,
                                                           const std::string& huge_pages) {
  std::unique_ptr<io::StagingPool> pool;
  if (!budgeting.staging_needed) return pool;
  pool = std::make_unique<io::StagingPool>(shelf, budgeting.sizes.block_bytes + plan::kEdgeBytes, budgeting.blocks,
                                           huge_pages);
  if (Status status = pool->require_block(); !status.ok()) return status;
  return pool;
}

std::optional<std::size_t> Stager::try_stage(Owner& owner, const plan::Piece& piece) {
  // A block that comes back is still in the cache, and already counted: where pieces are read faster than they are
  // placed, a fresh one gains nothing.
  if (placers_.behind()) return std::nullopt;
  auto lease = pool_->try_lease();
  if (!lease.ok() || !lease->valid()) return std::nullopt;
  if (idle_slots_.empty()) {
    idle_slots_.reserve(slots_.size() + 1);  // so that none is refused in collect()
    slots_.emplace_back();
    idle_slots_.push_back(slots_.size() - 1);
  }
  const std::size_t slot = idle_slots_.back();
  idle_slots_.pop_back();
  Staged& staged = slots_[slot];
  staged = {&owner, piece, std::move(lease).value(), {}, piece.runs, 0};
  staged.bytes = staged.lease.bytes().subspan(static_cast<std::size_t>(piece.run_offset(0) % kDirectAlignment));
  return slot;
}

void Stager::submit(std::size_t slot) {
  placers_.submit(slot, [&staged = slots_[slot]] {
    const double start = steady_seconds();
    Status status = staged.owner->place(staged);
    staged.place_seconds = steady_seconds() - start;
    return status;
  });
}

bool Stager::collect(bool wait) {
  std::list<Placers::Task> all = placers_.take(wait);
  for (Placers::Task& finished : all) {
    Staged& staged = slots_[finished.slot];
    staged.lease.release();
    idle_slots_.push_back(finished.slot);
    staged.owner->placed(std::move(finished.status), staged.place_seconds);
  }
  return !all.empty();
}

}  // namespace loadstone::loader
