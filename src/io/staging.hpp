// The staging pool: equal blocks from 2 MiB-aligned slabs, charged to the ledger, handed out as leases.
#pragma once

#include "core/status.hpp"
#include "io/slabs.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace loadstone::io {

class StagingPool;

/// Builds for tests overwrite blocks that come back: whoever still reads from one shall see it.
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kPoisonsBlocks = true;
#elif defined(__has_feature)
inline constexpr bool kPoisonsBlocks = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kPoisonsBlocks = false;
#endif
inline constexpr std::byte kBlockPoison{0xA5};

/// A held block. Move-only; returns itself. The pool outlives its leases.
class StagingLease {
 public:
  StagingLease() = default;
  StagingLease(StagingLease&& other) noexcept;
  StagingLease& operator=(StagingLease&& other) noexcept;
  StagingLease(const StagingLease&) = delete;
  StagingLease& operator=(const StagingLease&) = delete;
  ~StagingLease();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool valid() const noexcept { return pool_ != nullptr; }
  void release() noexcept;

 private:
  friend class StagingPool;
  StagingPool* pool_ = nullptr;
  std::span<std::byte> bytes_;
};

/// Thread-safe as its shelf is. Blocks are `block_bytes` rounded up to 4 KiB; at most `max_blocks`; last in, first
/// out. A slab from which more has been lent than it holds is registered with the backend that its shelf knows.
class StagingPool {
 public:
  /// @param shelf  where its memory comes from and stays; outlives it
  StagingPool(SlabShelf& shelf, std::int64_t block_bytes, std::int64_t max_blocks, std::string huge_pages = "auto");
  ~StagingPool();
  StagingPool(const StagingPool&) = delete;
  StagingPool& operator=(const StagingPool&) = delete;

  /// An idle block, or a new one if the budget and the count allow; an invalid lease if none can be had now.
  Result<StagingLease> try_lease();
  /// Makes sure that there is a block, now and until trim(), while none is held: `out_of_memory` if the system refuses
  /// one, `budget` if what is left of it is less.
  Status require_block();
  [[nodiscard]] std::int64_t block_bytes() const noexcept;
  [[nodiscard]] std::int64_t blocks_made() const;
  /// Returns idle memory to the shelf.
  void trim();

 private:
  friend class StagingLease;
  void give_back(std::span<std::byte> bytes) noexcept;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadstone::io
