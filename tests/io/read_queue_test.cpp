#include "io/read_queue.hpp"

#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace loadstone::io {
namespace {

class ReadQueueTest : public testing::Test {
 protected:
  void push(std::int64_t offset, std::int64_t at, std::int64_t bytes, std::int64_t file = 0) {
    queue_.push(
        {file, offset, std::span(memory_).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes))});
  }
  std::vector<std::byte> memory_ = std::vector<std::byte>(100'000);
  ReadQueue queue_;
  std::vector<iovec> pieces_;
};

TEST_F(ReadQueueTest, JoinsWhatTouchesInTheFile) {
  push(0, 0, 10);
  push(10, 10, 10);   // touches in memory too: one piece
  push(20, 500, 10);  // a second piece
  push(31, 600, 10);  // a hole that is more than a fiftieth
  const Range range = queue_.peek(1000, 64);
  EXPECT_EQ(range.bytes, 30);
  EXPECT_EQ(range.gap, 1);
  EXPECT_FALSE(range.goes_on);
  queue_.cut(30, pieces_);
  ASSERT_EQ(pieces_.size(), 2U);
  EXPECT_EQ(pieces_[0].iov_len, 20U);
  EXPECT_EQ(pieces_[1].iov_base, &memory_[500]);
  EXPECT_EQ(queue_.peek(1000, 64).offset, 31);
  EXPECT_EQ(queue_.uncut_bytes(), 10);
}

TEST_F(ReadQueueTest, KeepsToBytesAndPieces) {
  for (std::int64_t i = 0; i < 10; ++i) push(i * 10, i * 20, 10);
  EXPECT_EQ(queue_.peek(25, 64).bytes, 25);
  EXPECT_EQ(queue_.peek(1000, 3).bytes, 30);
  queue_.cut(25, pieces_);
  const Range rest = queue_.peek(1000, 64);
  EXPECT_EQ(rest.offset, 25);
  EXPECT_EQ(rest.first_read, 2U);
  EXPECT_EQ(rest.bytes, 75);
}

TEST_F(ReadQueueTest, DoesNotJoinFiles) {
  push(0, 0, 10, 0);
  push(10, 10, 10, 1);
  EXPECT_EQ(queue_.peek(1000, 64).bytes, 10);
}

TEST_F(ReadQueueTest, ReadsSmallGapsAsWell) {
  push(0, 0, 1000);
  push(1020, 1000, 500);   // touches in memory; a fiftieth of 1000 is read over
  push(1530, 1500, 500);   // 30 of 1500 in all: just as well
  push(2061, 2000, 3000);  // 61 of 2000 would be too many
  const Range range = queue_.peek(100'000, 64);
  EXPECT_EQ(range.bytes, 2030);
  EXPECT_EQ(range.gap, 31);
  queue_.cut(range.bytes, pieces_);
  ASSERT_EQ(pieces_.size(), 5U) << "three destinations, two gaps";
  EXPECT_EQ(pieces_[1].iov_base, nullptr);
  EXPECT_EQ(pieces_[1].iov_len, 20U);
  EXPECT_EQ(pieces_[2].iov_base, &memory_[1000]);
  EXPECT_EQ(pieces_[2].iov_len, 500U);
  EXPECT_EQ(pieces_[3].iov_len, 10U);
  EXPECT_EQ(pieces_[4].iov_base, &memory_[1500]);
  EXPECT_EQ(queue_.uncut_bytes(), 3000);
  EXPECT_EQ(queue_.peek(100'000, 64).offset, 2061);
}

TEST_F(ReadQueueTest, AGapIsNeverTheEndOfARange) {
  push(0, 0, 1000);
  push(1010, 1000, 1000);
  for (const std::int64_t most : {1000, 1001, 1005, 1010}) {
    const Range range = queue_.peek(most, 64);
    EXPECT_EQ(range.bytes, 1000) << most;
    EXPECT_TRUE(range.goes_on) << most;
  }
  EXPECT_EQ(queue_.peek(1011, 64).bytes, 1011);
  EXPECT_EQ(queue_.peek(5000, 2).bytes, 1000) << "the gap takes a piece";
  EXPECT_EQ(queue_.peek(5000, 3).bytes, 2010);
  EXPECT_FALSE(queue_.peek(5000, 3).goes_on);
}

TEST_F(ReadQueueTest, DoesNotReadOverPagesNorBackwards) {
  push(0, 0, 90'000);
  push(90'000 + kMaxGapBytes + 1, 90'000, 10);
  EXPECT_EQ(queue_.peek(1'000'000, 64).gap, kMaxGapBytes + 1) << "less than a fiftieth, but too long";
  queue_.cut(90'000, pieces_);
  push(7, 90'010, 10);
  EXPECT_EQ(queue_.peek(1000, 64).bytes, 10);
}

TEST_F(ReadQueueTest, KeepsOrderWhileItGrowsAndRetires) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random = test::generator();
  std::int64_t pushed = 0;
  std::int64_t cut = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (test::pick(random, 0, 1) == 0 || queue_.all_cut()) {
      push(pushed, pushed % 90'000, 7);
      pushed += 7;
      continue;
    }
    const Range range = queue_.peek(test::pick(random, 1, 40), 64);
    ASSERT_EQ(range.offset, cut);
    ASSERT_LE(queue_[range.first_read].read.offset, cut);
    queue_.cut(range.bytes, pieces_);
    cut += range.bytes;
    if (test::pick(random, 0, 3) == 0) {
      for (std::uint64_t i = queue_.last() - queue_.size(); i < queue_.last() - queue_.uncut(); ++i)
        queue_[i].missing = 0;
      queue_.retire();
    }
  }
  EXPECT_EQ(queue_.uncut_bytes(), pushed - cut);
}

}  // namespace
}  // namespace loadstone::io
