#include "io/huge_pages.hpp"

#include "core/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace loadstone::io {
namespace {

TEST(HugePages, TellHowManyBytesLieOnHugeOnes_IO40) {
  constexpr std::int64_t kBytes = 6 << 20;
  Pages small(kBytes, "off");
  std::fill(small.bytes().begin(), small.bytes().end(), std::byte{1});
  const std::optional<std::int64_t> none = bytes_on_huge_pages(small.bytes());
  if (!none) GTEST_SKIP() << "this kernel does not tell";
  Pages large(kBytes, "auto", 128);
  EXPECT_EQ(bytes_on_huge_pages(large.bytes()), 0) << "nothing is there yet";
  std::fill(large.bytes().begin(), large.bytes().end(), std::byte{1});
  const std::int64_t told = bytes_on_huge_pages(large.bytes()).value_or(-1);
  EXPECT_GE(told, 0);
  EXPECT_LE(told, kBytes);
  EXPECT_EQ(bytes_on_huge_pages({}), 0);
}

}  // namespace
}  // namespace loadstone::io
