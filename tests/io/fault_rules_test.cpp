#include "io/fault_rules.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace loadstone::io {
namespace {

TEST(FaultRules, AreTheTableOfSection8) {
  struct Row {
    int error;
    Mode mode;
    Reaction reaction;
  };
  for (const Row& row :
       {Row{EINTR, Mode::buffered, Reaction::again}, Row{EAGAIN, Mode::buffered, Reaction::again_later},
        Row{ENOBUFS, Mode::direct, Reaction::again_later}, Row{EINVAL, Mode::direct, Reaction::buffered_instead},
        Row{EINVAL, Mode::buffered, Reaction::fail}, Row{EOPNOTSUPP, Mode::direct, Reaction::buffered_instead},
        Row{EOPNOTSUPP, Mode::uncached, Reaction::buffered_instead}, Row{EIO, Mode::direct, Reaction::fail},
        Row{EIO, Mode::buffered, Reaction::fail}, Row{ENXIO, Mode::buffered, Reaction::fail},
        Row{EREMOTEIO, Mode::buffered, Reaction::fail}, Row{EOVERFLOW, Mode::buffered, Reaction::fail},
        Row{ESTALE, Mode::buffered, Reaction::reopen}, Row{EACCES, Mode::buffered, Reaction::fail},
        Row{ENOMEM, Mode::direct, Reaction::fewer_at_once}, Row{4095, Mode::buffered, Reaction::fail}}) {
    EXPECT_EQ(reaction_to(row.error, row.mode), row.reaction) << row.error;
  }
}

TEST(FaultRules, PausesDoubleUpTo64Milliseconds) {
  EXPECT_DOUBLE_EQ(backoff_seconds(1), 0.001);
  EXPECT_DOUBLE_EQ(backoff_seconds(2), 0.002);
  EXPECT_DOUBLE_EQ(backoff_seconds(7), 0.064);
  EXPECT_DOUBLE_EQ(backoff_seconds(1000), 0.064);
}

}  // namespace
}  // namespace loadstone::io
