#include "io/huge_pages.hpp"

#include "core/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

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

TEST(HugePages, AReservedPoolThatIsTooSmallIsCounted_IO26) {
  const Pages memory(std::int64_t{5} << 20, "hugetlb");
  if (memory.huge_pages().reserved_error == 0) GTEST_SKIP() << "this system has a reserved pool";
  std::map<std::string, std::int64_t> fallbacks;
  count_refusals(memory, fallbacks);
  count_refusals(memory, fallbacks);
  EXPECT_EQ(fallbacks["2 MiB pages of the reserved pool refused: ENOMEM"], 2);
}

TEST(HugePages, NothingIsCountedWhereNoneAreWishedFor) {
  std::map<std::string, std::int64_t> fallbacks;
  count_refusals(Pages(std::int64_t{5} << 20, "off"), fallbacks);
  count_refusals(Pages(4096, "hugetlb"), fallbacks);
  count_refusals(Pages(), fallbacks);
  EXPECT_TRUE(fallbacks.empty());
}

TEST(HugePages, ASystemWithoutThemSaysSo) {
  EXPECT_TRUE(gives_no_huge_pages("always madvise [never]\n"));
  EXPECT_FALSE(gives_no_huge_pages("always [madvise] never\n"));
  EXPECT_FALSE(gives_no_huge_pages(""));
}

}  // namespace
}  // namespace loadstone::io
