#include "io/staging.hpp"

#include "core/checked.hpp"
#include "core/guarded.hpp"
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
constexpr std::int64_t kSmallSlabBytes = 2 * kHugePageBytes;  // from this size on memory comes in 2 MiB pages
// 7 blocks of 1 MiB with their edges, and an eighth of it left over.
constexpr std::int64_t kLargeSlabBytes = 4 * kHugePageBytes;

/// Memory that some blocks share.
struct SlabSize {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;
};

/// Whole 2 MiB pages; blocks that fill less than one take what they need.
SlabSize whole_pages(std::int64_t block_bytes, std::int64_t most_blocks) {
  const std::int64_t blocks = std::clamp<std::int64_t>(kLargeSlabBytes / block_bytes, 1, most_blocks);
  const std::int64_t bytes = blocks * block_bytes;
  return {blocks, bytes < kHugePageBytes ? bytes : round_up(bytes, kHugePageBytes)};
}

/// What is charged for a pool of whole 2 MiB pages.
std::int64_t bytes_in_whole_pages(std::int64_t block_bytes, std::int64_t blocks) {
  const SlabSize full = whole_pages(block_bytes, blocks);
  const std::int64_t rest = blocks % full.blocks;
  return blocks / full.blocks * full.bytes + (rest == 0 ? 0 : whole_pages(block_bytes, rest).bytes);
}

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
        roomy(pages != "off" && bytes_in_whole_pages(block_bytes, max_blocks) <= the_shelf.limit_bytes() / 2),
        huge_pages(std::move(pages)) {}

  SlabShelf& shelf;
  const std::int64_t block_bytes;
  const std::int64_t max_blocks;
  const bool roomy;  // what whole pages take beyond the blocks is not missed elsewhere in the budget
  const std::string huge_pages;
  mutable std::mutex mutex;
  std::vector<Slab> slabs;
  std::vector<std::byte*> idle;  // last in, first out: the warm one is at the back
  std::int64_t made = 0;
  bool system_refused = false;  // memory that the budget had room for

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

  /// Of as many blocks as share 2 MiB pages. A budget that was planned to the last block gives no more than those take.
  [[nodiscard]] SlabSize next_slab(std::int64_t allowed) const {
    if (roomy) return whole_pages(block_bytes, allowed);
    const std::int64_t blocks = std::min(allowed, ceil_div(kSmallSlabBytes, block_bytes));
    return {blocks, blocks * block_bytes};
  }

  /// Several blocks if the budget has room for them, else a single one.
  bool grow() {
    const std::int64_t allowed = max_blocks - made;
    if (allowed <= 0) return false;
    const SlabSize next = next_slab(allowed);
    return add_slab(next) || (next.bytes > block_bytes && add_slab({1, block_bytes}));
  }

  bool add_slab(const SlabSize& size) {
    try {
      slabs.reserve(slabs.size() + 1);
      // Nothing is refused once there is memory, nor later.
      idle.reserve(static_cast<std::size_t>(made + size.blocks));
      std::optional<ChargedPages> memory = shelf.take(size.bytes, huge_pages);
      if (!memory) return false;
      std::byte* const first = memory->pages.bytes().data();
      for (std::int64_t i = size.blocks; i > 0; --i) idle.push_back(first + (i - 1) * block_bytes);
      slabs.push_back({std::move(*memory), size.blocks, size.blocks});
    } catch (const std::bad_alloc&) {
      system_refused = true;
      return false;
    }
    made += size.blocks;
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

Status StagingPool::require_block() {
  const Result<StagingLease> lease = try_lease();
  if (!lease.ok()) return lease.status().clone();
  if (lease->valid()) return {};
  const std::scoped_lock lock(state_->mutex);
  if (state_->system_refused) return out_of_memory_fault();
  return state_->shelf.no_room(state_->block_bytes);
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
  if constexpr (kPoisonsBlocks) std::fill(bytes.begin(), bytes.end(), kBlockPoison);
  const std::scoped_lock lock(state_->mutex);
  state_->idle.push_back(bytes.data());
  ++state_->slab_of(bytes.data()).idle;
}

}  // namespace loadstone::io
