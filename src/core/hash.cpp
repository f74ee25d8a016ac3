#include "core/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace loadstone {

Hash128& Hash128::operator+=(const Hash128& other) noexcept {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
  return *this;
}

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hash128 xxh3_128(std::span<const std::byte> bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::uint64_t xxh3_64(std::span<const std::byte> bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

namespace {

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

}  // namespace

struct Hasher::State {
  std::unique_ptr<XXH3_state_t, FreeState> xxh3{XXH3_createState()};
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  if (state_->xxh3 == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh3.get());
}

Hasher::~Hasher() = default;

void Hasher::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh3.get(), bytes.data(), bytes.size());
}

Hash128 Hasher::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh3.get());
  return {hash.high64, hash.low64};
}

}  // namespace loadstone
