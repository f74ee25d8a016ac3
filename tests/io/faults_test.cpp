#include "io/faults.hpp"

#include <gtest/gtest.h>
#include <loadstone/error.hpp>

#include <cerrno>
#include <utility>

namespace loadstone::io {
namespace {

/// As the caller of a load gets it, the words about rank and phase included.
TEST(Faults, AReadThatFailedIsOneLine_IO34) {
  Failure failure;
  failure.faults.push_back(read_fault(
      {.path = "m/3.npy", .shard = 3, .offset = 4198400, .bytes = 1048576, .way = "direct", .backend = "uring"}, EIO));
  failure.total_faults = 1;
  failure.rank = 2;
  failure.phase = "read";
  EXPECT_EQ(describe(failure),
            "m/3.npy: reading 1048576 bytes at 4198400: EIO (direct, uring, try 1 of 1). Try io.direct = \"off\". "
            "[io; rank 2; read]");
  EXPECT_STREQ(Error(failure).what(), describe(failure).c_str());
}

}  // namespace
}  // namespace loadstone::io
