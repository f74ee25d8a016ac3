#include "loader/batch_memory.hpp"

#include <chrono>
#include <condition_variable>
#include <iterator>
#include <list>
#include <span>
#include <utility>

#include "loader/tile_plan.hpp"

namespace loadstone::loader {
namespace {

// A loop that has the next batch drops the last one at once.
constexpr std::chrono::microseconds kDropsWithin{200};

}  // namespace

/// Shared with the blocks, so that memory comes home from any thread, at any time.
struct BatchMemory::Shelf {
  explicit Shelf(std::int64_t most) : ahead(most) {}

  const std::int64_t ahead;
  std::mutex mutex;
  std::condition_variable_any room;
  // Pages wander from list to list: nothing is asked for when they come home, which is in a destructor.
  std::list<Pages> idle;
  std::int64_t on_their_way = 0;
  std::int64_t held = 0;
  bool closed = false;

  [[nodiscard]] std::int64_t most_idle() const { return closed ? 0 : ahead + (held == 0 ? 1 : 0) - on_their_way; }

  /// Takes what is too much; its owner frees it when nobody waits for the lock.
  std::list<Pages> take_surplus() noexcept {
    std::list<Pages> surplus;
    while (!idle.empty() && static_cast<std::int64_t>(idle.size()) > most_idle()) {
      surplus.splice(surplus.end(), idle, std::prev(idle.end()));
    }
    return surplus;
  }

  void come_home(std::list<Pages>& pages, bool was_held) noexcept {
    std::list<Pages> surplus;
    const std::scoped_lock lock(mutex);
    --(was_held ? held : on_their_way);
    if (!pages.front().bytes().empty()) idle.splice(idle.end(), pages);
    surplus = take_surplus();
    room.notify_one();
  }
};

/// Pages of one batch; goes back to the shelf with its last holder, once it has taken a place there.
class BatchMemory::Block {
 public:
  explicit Block(std::shared_ptr<Shelf> shelf) : shelf_(std::move(shelf)) { pages_.emplace_back(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (counts_) shelf_->come_home(pages_, held_);
  }

  [[nodiscard]] std::span<std::byte> bytes(std::int64_t bytes, std::int64_t skew) const {
    return pages_.front().bytes().subspan(static_cast<std::size_t>(skew), static_cast<std::size_t>(bytes));
  }
  /// Takes a place, with pages that are idle if there are some. The shelf is locked.
  void take_place() noexcept {
    counts_ = true;
    ++shelf_->on_their_way;
    if (shelf_->idle.empty()) return;
    pages_.front() = std::move(shelf_->idle.back());
    shelf_->idle.pop_back();
  }
  void make_unless_there(std::int64_t bytes, const std::string& huge_pages) {
    if (pages_.front().bytes().empty()) pages_.front() = Pages(bytes, huge_pages);
  }
  void set_held() { held_ = true; }
  [[nodiscard]] const Pages& pages() const { return pages_.front(); }

 private:
  std::shared_ptr<Shelf> shelf_;
  std::list<Pages> pages_;  ///< one
  bool counts_ = false;
  bool held_ = false;
};

BatchMemory::BatchMemory(std::int64_t ahead, std::int64_t batch_bytes, std::string huge_pages)
    : block_bytes_(batch_bytes + kLandingAlignment),
      huge_pages_(std::move(huge_pages)),
      shelf_(std::make_shared<Shelf>(ahead)) {}

BatchMemory::~BatchMemory() {
  const std::scoped_lock lock(shelf_->mutex);
  shelf_->closed = true;
  shelf_->idle.clear();
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
  std::list<Pages> surplus;
  const std::scoped_lock lock(shelf_->mutex);
  block.set_held();
  --shelf_->on_their_way;
  ++shelf_->held;
  surplus = shelf_->take_surplus();
  shelf_->room.notify_one();
}

}  // namespace loadstone::loader
