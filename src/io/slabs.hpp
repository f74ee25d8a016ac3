// Memory for staging blocks: where a pool takes it from, and where it stays for the next pool or load (IO-27).
#pragma once

#include "core/ledger.hpp"
#include "core/pages.hpp"
#include "io/backend.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loadstone::io {

/// What is kept between loads; in no budget, as none is under way. Thread-safe.
class SlabStore {
 public:
  /// Memory that does not fit beside `most_bytes` goes back to the system.
  void put(Pages pages, std::int64_t most_bytes) noexcept;
  std::vector<Pages> take_all();
  [[nodiscard]] std::int64_t idle_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Pages> pages_;
};

/// Memory and the part of a budget that it takes.
struct ChargedPages {
  Pages pages;
  Reservation reservation;
};

/// The slabs of one load, charged to its ledger. With a store, slabs that come back stay for whoever wants one of that
/// size, and give way if the ledger runs short; without, they go back to the system. Thread-safe; while it knows a
/// backend, slabs are registered and given back on the thread that uses that.
class SlabShelf {
 public:
  /// Takes over what the store has, as far as the ledger has room.
  SlabShelf(Ledger& ledger, std::shared_ptr<SlabStore> store);
  /// Gives what it has to the store. All slabs have come back.
  ~SlabShelf();
  SlabShelf(const SlabShelf&) = delete;
  SlabShelf& operator=(const SlabShelf&) = delete;

  /// A slab that has stayed, or a new one; empty if the ledger has no room. Throws std::bad_alloc.
  std::optional<ChargedPages> take(std::int64_t bytes, const std::string& huge_pages);
  void give_back(ChargedPages slab) noexcept;
  /// The backend that reads into slabs, for as long as it lives; null: none any more.
  void serve(Backend* backend) noexcept { backend_ = backend; }
  /// The slab will be read into often: it is registered with the backend, if there is one, until it is given back.
  void register_slab(const ChargedPages& slab);
  /// Asked of the system so far.
  [[nodiscard]] std::int64_t fresh_bytes() const;
  /// Why slabs that were asked of the system since the last call are on 4 KiB pages, and how many.
  std::map<std::string, std::int64_t> take_refusals();
  /// Of the ledger: why it refuses so many bytes, and its limit.
  [[nodiscard]] Fault no_room(std::int64_t bytes) const { return ledger_.no_room(bytes); }
  [[nodiscard]] std::int64_t limit_bytes() const noexcept { return ledger_.limit_bytes(); }

 private:
  std::optional<ChargedPages> take_idle(std::int64_t bytes);
  void free_idle() noexcept;

  Ledger& ledger_;
  const std::shared_ptr<SlabStore> store_;
  mutable std::mutex mutex_;
  std::vector<ChargedPages> idle_;
  std::int64_t fresh_bytes_ = 0;
  Backend* backend_ = nullptr;
  std::map<std::string, std::int64_t> refusals_;
};

}  // namespace loadstone::io
