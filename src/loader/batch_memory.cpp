#include "loader/batch_memory.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <list>
#include <span>
#include <utility>

#include "core/checked.hpp"
#include "loader/tile_plan.hpp"

namespace loadstone::loader {
namespace {

// A loop that has the next batch drops the last one at once.
constexpr std::chrono::microseconds kDropsWithin{200};
// Small batches lie in so much memory together, which then comes in 2 MiB pages: direct reads into 4 KiB ones took 1.3
// times as long.
constexpr std::int64_t kSharedBytes = std::int64_t{8} << 20;

/// Memory of one batch, in pages of its own or beside that of others.
struct Place {
  std::shared_ptr<const Pages> pages;
  std::span<std::byte> bytes;  ///< empty: none
};

/// Pages for `batches` of them.
std::list<Place> make_places(std::int64_t batches, std::int64_t batch_bytes, const std::string& huge_pages) {
  const auto pages = std::make_shared<const Pages>(batches * batch_bytes, huge_pages, 0, Pages::End::exact);
  std::list<Place> places;
  for (std::int64_t i = 0; i < batches; ++i) {
    places.push_back({pages, pages->bytes().subspan(static_cast<std::size_t>(i * batch_bytes),
                                                    static_cast<std::size_t>(batch_bytes))});
  }
  return places;
}

}  // namespace

/// Shared with the blocks, so that memory comes home from any thread, at any time.
struct BatchMemory::Shelf {
  explicit Shelf(std::int64_t most) : ahead(most) {}

  const std::int64_t ahead;
  std::mutex mutex;
  std::condition_variable_any room;
  // Places wander from list to list: nothing is asked for when they come home, which is in a destructor.
  std::list<Place> idle;    // with memory
  std::list<Place> vacant;  // addresses only, beside batches that are used
  std::int64_t on_their_way = 0;
  std::int64_t held = 0;
  bool closed = false;

  [[nodiscard]] std::int64_t most_idle() const { return closed ? 0 : ahead + (held == 0 ? 1 : 0) - on_their_way; }

  /// Takes what is too much; its owner frees it when nobody waits for the lock. Of pages that others use as well only
  /// the memory goes.
  std::list<Place> take_surplus() noexcept {
    std::list<Place> surplus;
    while (!idle.empty() && static_cast<std::int64_t>(idle.size()) > most_idle()) {
      const auto last = std::prev(idle.end());
      const bool shared = last->pages.use_count() > 1;
      if (shared) drop_contents(last->bytes);
      std::list<Place>& to = shared && !closed ? vacant : surplus;
      to.splice(to.end(), idle, last);
    }
    return surplus;
  }

  void come_home(std::list<Place>& place, bool was_held) noexcept {
    std::list<Place> surplus;
    const std::scoped_lock lock(mutex);
    --(was_held ? held : on_their_way);
    if (!place.front().bytes.empty()) idle.splice(idle.end(), place);
    surplus = take_surplus();
    room.notify_one();
  }
};

/// The place of one batch; goes back to the shelf with its last holder, once it counts there.
class BatchMemory::Block {
 public:
  explicit Block(std::shared_ptr<Shelf> shelf) : shelf_(std::move(shelf)) { place_.emplace_back(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (counts_) shelf_->come_home(place_, held_);
  }

  [[nodiscard]] std::span<std::byte> bytes(std::int64_t bytes, std::int64_t skew) const {
    return place_.front().bytes.subspan(static_cast<std::size_t>(skew), static_cast<std::size_t>(bytes));
  }
  /// Counts from now on, with a place that is idle if there is one. The shelf is locked.
  void take_place() noexcept {
    counts_ = true;
    ++shelf_->on_their_way;
    std::list<Place>& from = shelf_->idle.empty() ? shelf_->vacant : shelf_->idle;
    if (from.empty()) return;
    place_.front() = std::move(from.back());
    from.pop_back();
  }
  void make_unless_there(std::int64_t bytes, const std::string& huge_pages) {
    if (!place_.front().bytes.empty()) return;
    const std::int64_t batches = std::clamp<std::int64_t>(kSharedBytes / bytes, 1, shelf_->ahead + 1);
    std::list<Place> places = make_places(batches, bytes, huge_pages);
    place_.front() = std::move(places.front());
    places.pop_front();
    places.reverse();  // the next one first
    const std::scoped_lock lock(shelf_->mutex);
    shelf_->vacant.splice(shelf_->vacant.end(), places);
  }
  void set_held() { held_ = true; }
  [[nodiscard]] const Pages& pages() const { return *place_.front().pages; }

 private:
  std::shared_ptr<Shelf> shelf_;
  std::list<Place> place_;  ///< one
  bool counts_ = false;
  bool held_ = false;
};

BatchMemory::BatchMemory(std::int64_t ahead, std::int64_t batch_bytes, std::string huge_pages)
    : block_bytes_(round_up(batch_bytes, kLandingAlignment) + kLandingAlignment),
      huge_pages_(std::move(huge_pages)),
      shelf_(std::make_shared<Shelf>(ahead)) {}

BatchMemory::~BatchMemory() {
  const std::scoped_lock lock(shelf_->mutex);
  shelf_->closed = true;
  shelf_->take_surplus();
  shelf_->vacant.clear();
}

BatchMemory::Taken BatchMemory::try_take(std::int64_t bytes, std::int64_t skew, bool patient) {
  const auto block = std::make_shared<Block>(shelf_);
  {
    const std::scoped_lock lock(shelf_->mutex);
    const Shelf& shelf = *shelf_;
    if (shelf.on_their_way >= shelf.ahead) return {};
    if (shelf.idle.empty() && patient && shelf.held > 1) return {nullptr, nullptr, true};
    block->take_place();
  }
  // A refusal by the system gives the place back.
  block->make_unless_there(block_bytes_, huge_pages_);
  return {std::make_shared<TileMemory>(block->bytes(bytes, skew), block), block, false, &block->pages()};
}

bool BatchMemory::wait_for_room(const std::stop_token& stop) {
  std::unique_lock lock(shelf_->mutex);
  Shelf& shelf = *shelf_;
  if (!shelf.room.wait(lock, stop, [&] { return shelf.on_their_way < shelf.ahead; })) return false;
  if (shelf.held > 1) shelf.room.wait_for(lock, stop, kDropsWithin, [&] { return !shelf.idle.empty(); });
  return true;
}

void BatchMemory::hand_over(Block& block) {
  std::list<Place> surplus;
  const std::scoped_lock lock(shelf_->mutex);
  block.set_held();
  --shelf_->on_their_way;
  ++shelf_->held;
  surplus = shelf_->take_surplus();
  shelf_->room.notify_one();
}

}  // namespace loadstone::loader
