#include "io/staging.hpp"

#include "core/checked.hpp"
#include "io/faults.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace loadstone::io {
namespace {

constexpr std::int64_t kPageBytes = 4096;
constexpr std::int64_t kSlabBytes = 2 * kHugePageBytes;  // from this size on memory comes in 2 MiB pages

/// Memory for some blocks.
struct Slab {
  ChargedPages memory;
  std::int64_t blocks = 0;
  std::int64_t idle = 0;
  std::int64_t leases = 0;

  [[nodiscard]] bool contains(const std::byte* block) const {
    const std::span<std::byte> bytes = memory.pages.bytes();
    return block >= bytes.data() && block < bytes.data() + bytes.size();
  }
};

}  // namespace

struct StagingPool::State {
  State(SlabShelf& the_shelf, std::int64_t bytes, std::int64_t blocks, std::string pages)
      : shelf(the_shelf),
        block_bytes(round_up(std::max<std::int64_t>(bytes, 1), kPageBytes)),
        max_blocks(std::max<std::int64_t>(blocks, 1)),
        huge_pages(std::move(pages)) {}

  SlabShelf& shelf;
  const std::int64_t block_bytes;
  const std::int64_t max_blocks;
  const std::string huge_pages;
  mutable std::mutex mutex;
  std::vector<Slab> slabs;
  std::vector<std::byte*> idle;  // last in, first out: the warm one is at the back
  std::int64_t made = 0;

  Slab& slab_of(const std::byte* block) {
    return *std::find_if(slabs.begin(), slabs.end(), [&](const Slab& slab) { return slab.contains(block); });
  }

  std::span<std::byte> pop() {
    std::byte* block = idle.back();
    idle.pop_back();
    Slab& slab = slab_of(block);
    --slab.idle;
    // A slab whose blocks are lent again and again. Looking up its pages once for all of them, which makes those that
    // are not there, costs more than it saves where each is read into once.
    if (++slab.leases == slab.blocks + 1) shelf.register_slab(slab.memory);
    return {block, static_cast<std::size_t>(block_bytes)};
  }

  /// Blocks that share 2 MiB pages if the budget has room for them, else a single one.
  bool grow() {
    const std::int64_t allowed = max_blocks - made;
    if (allowed <= 0) return false;
    const std::int64_t together = std::min(allowed, std::max<std::int64_t>(1, kSlabBytes / block_bytes));
    return add_slab(together) || (together > 1 && add_slab(1));
  }

  bool add_slab(std::int64_t blocks) {
    const std::int64_t bytes = blocks * block_bytes;
    try {
      slabs.reserve(slabs.size() + 1);
      idle.reserve(static_cast<std::size_t>(made + blocks));  // nothing is refused once there is memory, nor later
      std::optional<ChargedPages> memory = shelf.take(bytes, huge_pages);
      if (!memory) return false;
      std::byte* const first = memory->pages.bytes().data();
      for (std::int64_t i = blocks; i > 0; --i) idle.push_back(first + (i - 1) * block_bytes);
      slabs.push_back({std::move(*memory), blocks, blocks});
    } catch (const std::bad_alloc&) {
      return false;
    }
    made += blocks;
    return true;
  }

  void trim() {
    for (Slab& slab : slabs) {
      if (slab.idle != slab.blocks) continue;
      std::erase_if(idle, [&](const std::byte* block) { return slab.contains(block); });
      made -= slab.blocks;
      slab.blocks = 0;
      shelf.give_back(std::move(slab.memory));
    }
    std::erase_if(slabs, [](const Slab& slab) { return slab.blocks == 0; });
  }
};

StagingLease::StagingLease(StagingLease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), bytes_(std::exchange(other.bytes_, {})) {}

StagingLease& StagingLease::operator=(StagingLease&& other) noexcept {
  if (this != &other) {
    release();
    pool_ = std::exchange(other.pool_, nullptr);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

StagingLease::~StagingLease() { release(); }

void StagingLease::release() noexcept {
  if (pool_ != nullptr) pool_->give_back(bytes_);
  pool_ = nullptr;
  bytes_ = {};
}

StagingPool::StagingPool(SlabShelf& shelf, std::int64_t block_bytes, std::int64_t max_blocks, std::string huge_pages)
    : state_(std::make_unique<State>(shelf, block_bytes, max_blocks, std::move(huge_pages))) {}

StagingPool::~StagingPool() { state_->trim(); }

Result<StagingLease> StagingPool::try_lease() {
  const std::scoped_lock lock(state_->mutex);
  StagingLease lease;
  if (state_->idle.empty() && !state_->grow()) return lease;
  lease.pool_ = this;
  lease.bytes_ = state_->pop();
  return lease;
}

std::int64_t StagingPool::block_bytes() const noexcept { return state_->block_bytes; }

std::int64_t StagingPool::blocks_made() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->made;
}

void StagingPool::trim() {
  const std::scoped_lock lock(state_->mutex);
  state_->trim();
}

void StagingPool::give_back(std::span<std::byte> bytes) noexcept {
#ifndef NDEBUG
  // Whoever still reads from a block that was given back shall see it.
  std::fill(bytes.begin(), bytes.end(), std::byte{0xA5});
#endif
  const std::scoped_lock lock(state_->mutex);
  state_->idle.push_back(bytes.data());
  ++state_->slab_of(bytes.data()).idle;
}

}  // namespace loadstone::io
