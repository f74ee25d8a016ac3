#include "io/stream_copy.hpp"

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace loadstone::io {
namespace {

TEST(StreamCopy, EqualsMemcpyAtEveryAlignment) {
  constexpr std::size_t kLarge = (1 << 20) + 4096;
  const std::vector<std::byte> source = test::pattern(kLarge + 200);
  std::vector<std::byte> target(kLarge + 400);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{1} << 20, kLarge, kLarge + 37}) {
    for (const std::size_t to : {0U, 1U, 15U, 16U, 31U, 63U}) {
      for (const std::size_t from : {0U, 1U, 33U}) {
        std::fill(target.begin(), target.end(), std::byte{0xA5});
        stream_copy(target.data() + 100 + to, source.data() + from, size);
        ASSERT_TRUE(std::equal(source.begin() + static_cast<std::ptrdiff_t>(from),
                               source.begin() + static_cast<std::ptrdiff_t>(from + size),
                               target.begin() + static_cast<std::ptrdiff_t>(100 + to)));
        ASSERT_EQ(target[99 + to], std::byte{0xA5});
        ASSERT_EQ(target[100 + to + size], std::byte{0xA5});
      }
    }
  }
}

}  // namespace
}  // namespace loadstone::io
