#include "core/hash.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadstone {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

TEST(Hash, Xxh3GoldenValues) {
  // The published values of xxHash's own specification for the empty input and seed 0.
  EXPECT_EQ(xxh3_128({}).hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(xxh3_64({}), 0x2d06800538d394c2ULL);
}

TEST(Hash, PartsGiveTheSameHash) {
  const std::string text(100'000, 'x');
  Hasher hasher;
  hasher.update(bytes_of(text).first(17));
  hasher.update(bytes_of(text).subspan(17));
  EXPECT_EQ(hasher.digest(), xxh3_128(bytes_of(text)));
}

TEST(Hash, SumsCarry) {
  Hash128 sum{1, ~std::uint64_t{0}};
  sum += {2, 3};
  EXPECT_EQ(sum, (Hash128{4, 2}));
}

}  // namespace
}  // namespace loadstone
