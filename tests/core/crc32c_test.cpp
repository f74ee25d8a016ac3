#include <gtest/gtest.h>

#include <vector>

#include "core/hash.hpp"
#include "support/seed.hpp"

namespace loadstone {
namespace {

std::vector<std::byte> filled(std::size_t n, int first, int step) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(first + step * static_cast<int>(i));
  return bytes;
}

/// The definition, bit by bit.
std::uint32_t slow_crc32c(std::span<const std::byte> bytes) {
  std::uint32_t state = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    state ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x82F63B78U : 0U);
  }
  return ~state;
}

TEST(Crc32c, Rfc3720Vectors) {
  EXPECT_EQ(hex32(crc32c(filled(32, 0, 0))), "8a9136aa");
  EXPECT_EQ(hex32(crc32c(filled(32, 0xFF, 0))), "62a8ab43");
  EXPECT_EQ(hex32(crc32c(filled(32, 0, 1))), "46dd794e");
  EXPECT_EQ(hex32(crc32c(filled(32, 31, -1))), "113fdb5c");
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32c, EqualsTheDefinitionForEveryLengthAndCut) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  std::vector<std::byte> bytes(40'000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (const std::size_t n : {1U, 7U, 8U, 9U, 4095U, 4096U, 12287U, 12288U, 12289U, 24576U, 40000U}) {
    const std::span<const std::byte> part = std::span(bytes).first(n);
    const std::uint32_t wanted = slow_crc32c(part);
    EXPECT_EQ(crc32c(part), wanted) << n;
    const auto cut = static_cast<std::size_t>(test::pick(random, 0, static_cast<std::int64_t>(n)));
    EXPECT_EQ(crc32c(part.subspan(cut), crc32c(part.first(cut))), wanted) << n << " cut at " << cut;
    EXPECT_EQ(crc32c_combine(crc32c(part.first(cut)), crc32c(part.subspan(cut)), static_cast<std::int64_t>(n - cut)),
              wanted)
        << n << " combined at " << cut;
  }
}

}  // namespace
}  // namespace loadstone
