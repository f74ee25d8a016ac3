#include "io/slabs.hpp"

#include "io/huge_pages.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace loadstone::io {
namespace {

std::int64_t size_of(const Pages& pages) { return static_cast<std::int64_t>(pages.bytes().size()); }

}  // namespace

void SlabStore::put(Pages pages, std::int64_t most_bytes) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    std::int64_t held = size_of(pages);
    for (const Pages& each : pages_) held += size_of(each);
    if (held <= most_bytes) pages_.push_back(std::move(pages));
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): then it goes back to the system
  }
}

std::vector<Pages> SlabStore::take_all() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(pages_, {});
}

std::int64_t SlabStore::idle_bytes() const {
  const std::scoped_lock lock(mutex_);
  std::int64_t bytes = 0;
  for (const Pages& each : pages_) bytes += size_of(each);
  return bytes;
}

SlabShelf::SlabShelf(Ledger& ledger, std::shared_ptr<SlabStore> store) : ledger_(ledger), store_(std::move(store)) {
  if (store_ == nullptr) return;
  for (Pages& pages : store_->take_all()) {
    auto reservation = ledger_.try_reserve(size_of(pages), Use::staging);
    if (reservation.ok()) idle_.push_back({std::move(pages), std::move(reservation).value()});
  }
  ledger_.set_reclaim([this] { free_idle(); });
}

SlabShelf::~SlabShelf() {
  if (store_ == nullptr) return;
  ledger_.set_reclaim({});
  for (ChargedPages& slab : idle_) store_->put(std::move(slab.pages), ledger_.limit_bytes());
}

std::optional<ChargedPages> SlabShelf::take_idle(std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto last = std::find_if(idle_.rbegin(), idle_.rend(),
                                 [&](const ChargedPages& slab) { return size_of(slab.pages) == bytes; });
  if (last == idle_.rend()) return std::nullopt;
  std::optional<ChargedPages> slab = std::move(*last);
  idle_.erase(std::next(last).base());
  return slab;
}

std::optional<ChargedPages> SlabShelf::take(std::int64_t bytes, const std::string& huge_pages) {
  if (auto slab = take_idle(bytes)) return slab;
  Result<Reservation> reservation = ledger_.try_reserve(bytes, Use::staging);
  if (!reservation.ok()) return std::nullopt;
  ChargedPages slab{Pages(bytes, huge_pages, 0, Pages::End::exact), std::move(*reservation)};
  const std::scoped_lock lock(mutex_);
  count_refusals(slab.pages, refusals_);
  fresh_bytes_ += bytes;
  return slab;
}

void SlabShelf::register_slab(const ChargedPages& slab) {
  if (backend_ != nullptr) backend_->register_memory(slab.pages.bytes());
}

void SlabShelf::give_back(ChargedPages slab) noexcept {
  // Pages of registered memory would stay, in no budget, when the system has it back.
  if (backend_ != nullptr) backend_->unregister_memory(slab.pages.bytes());
  if (store_ == nullptr) return;
  try {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(slab));
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): then it goes back to the system
  }
}

std::int64_t SlabShelf::fresh_bytes() const {
  const std::scoped_lock lock(mutex_);
  return fresh_bytes_;
}

std::map<std::string, std::int64_t> SlabShelf::take_refusals() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(refusals_, {});
}

void SlabShelf::free_idle() noexcept {
  std::vector<ChargedPages> idle;
  const std::scoped_lock lock(mutex_);
  idle.swap(idle_);
}

}  // namespace loadstone::io
