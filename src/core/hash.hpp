// Hashes and sums: xxh3-128 of files, the order-free digest of an array, crc32c with combination by length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace loadstone {

/// A 128-bit number: sums modulo 2^128, printed as 32 hexadecimal digits, most significant first.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  Hash128& operator+=(const Hash128& other) noexcept;
  bool operator==(const Hash128&) const = default;
  [[nodiscard]] std::string hex() const;
};

Hash128 xxh3_128(std::span<const std::byte> bytes) noexcept;
std::uint64_t xxh3_64(std::span<const std::byte> bytes) noexcept;

/// xxh3-128 of bytes that come in parts.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] Hash128 digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// CRC-32C (Castagnoli, RFC 3720 B.4). crc32c(ab) = crc32c(b, crc32c(a)).
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0) noexcept;
/// crc32c of a and b together from both sums and the length of b.
std::uint32_t crc32c_combine(std::uint32_t crc_a, std::uint32_t crc_b, std::int64_t bytes_b) noexcept;
std::string hex32(std::uint32_t value);

}  // namespace loadstone
