// One seed for all random choices of a test: printed when it fails, settable by LOADSTONE_TEST_SEED.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace loadstone::test {

inline std::uint64_t seed() {
  const char* const text = std::getenv("LOADSTONE_TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

/// A generator of this test alone, whatever ran before. Put `SCOPED_TRACE(seed_note())` beside it.
inline std::mt19937_64 generator() {
  const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
  return std::mt19937_64(seed() ^ std::hash<std::string>{}(info->name()));
}

inline std::string seed_note() { return "LOADSTONE_TEST_SEED=" + std::to_string(seed()); }

inline std::int64_t pick(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

}  // namespace loadstone::test
