#include "core/pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace loadstone {
namespace {

std::uintptr_t address(const Pages& pages) { return reinterpret_cast<std::uintptr_t>(pages.bytes().data()); }

TEST(Pages, IO26LargeOnesStartOnA2MiBBoundaryPlusTheSkew) {
  for (const char* const huge : {"auto", "off", "hugetlb"}) {
    EXPECT_EQ(address(Pages(5 << 20, huge)) % (2 << 20), 0U) << huge;
    EXPECT_EQ(address(Pages(5 << 20, huge, 576)) % (2 << 20), 576U) << huge;
  }
  EXPECT_EQ(address(Pages(100, "auto", 64)) % 4096, 64U);
}

/// Without a reserved pool the kernel kills whoever touches memory that it has promised from it.
TEST(Pages, WithoutAReservedPoolHugetlbFallsBackToPagesThatCanBeWritten_IO26) {
  const Pages pages(std::int64_t{64} << 20, "hugetlb", 128);
  std::memset(pages.bytes().data(), 7, pages.bytes().size());
  EXPECT_EQ(pages.bytes().back(), std::byte{7});
}

TEST(Pages, ExactOnesTakeNoMemoryBeyondTheirBytes_IO31) {
  constexpr std::int64_t kBytes = (std::int64_t{4} << 20) + 65536;
  constexpr std::size_t kRest = (std::size_t{2} << 20) - 65536;
  const Pages pages(kBytes, "auto", 0, Pages::End::exact);
  std::ranges::fill(pages.bytes(), std::byte{1});
  std::vector<unsigned char> there(kRest / 4096);
  ASSERT_EQ(::mincore(pages.bytes().data() + kBytes, kRest, there.data()), 0);
  EXPECT_EQ(std::ranges::count_if(there, [](unsigned char page) { return (page & 1U) != 0; }), 0);
}

TEST(Pages, BytesAreZeroAndWritableToTheEnd) {
  Pages pages((4 << 20) + 17, "auto", 128);
  EXPECT_EQ(pages.bytes().size(), (4U << 20) + 17);
  EXPECT_EQ(pages.bytes().front(), std::byte{0});
  pages.bytes().back() = std::byte{1};
  const Pages moved = std::move(pages);
  EXPECT_EQ(moved.bytes().back(), std::byte{1});
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): a moved-from owner owns nothing
  EXPECT_TRUE(pages.bytes().empty());
}

}  // namespace
}  // namespace loadstone
