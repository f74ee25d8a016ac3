#include <gtest/gtest.h>
#include <loadstone/error.hpp>

#include "core/status.hpp"

namespace loadstone {
namespace {

Fault truncated(std::int64_t shard) {
  return {.code = Code::truncated,
          .kind = "shard.truncated",
          .message = "the header asks for 4194304 bytes of data, the file holds 4194176 (128 short)",
          .remedy = "Rewrite this shard or leave it out",
          .shard = shard,
          .path = "shard_" + std::to_string(shard) + ".npy"};
}

TEST(Error, E1OneSentenceFromTheFields) {
  const Error error(Failure{.faults = {truncated(7)}, .phase = "plan", .rank = 2});
  EXPECT_STREQ(error.what(),
               "shard_7.npy: the header asks for 4194304 bytes of data, the file holds 4194176 (128 short). "
               "Rewrite this shard or leave it out. [truncated; rank 2; plan]");
}

TEST(Error, E6PathsAreSafeAndShortInTheTextOnly) {
  Fault fault = truncated(7);
  fault.path = "first/" + std::string(500, 'q') + "/\u202Elast.npy";
  const Error error(fault);
  EXPECT_TRUE(std::string(error.what()).starts_with("first/qqq"));
  EXPECT_NE(std::string(error.what()).find("...qqq"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("/\\xe2\\x80\\xaelast.npy: "), std::string::npos) << error.what();
  EXPECT_EQ(error.faults().front().path, fault.path);
}

TEST(Error, E2EveryCodeHasAStableName) {
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
    const auto code = static_cast<Code>(i);
    EXPECT_EQ(parse_code(to_string(code)), code);
  }
  EXPECT_EQ(to_string(Code::internal), "internal");
  EXPECT_FALSE(parse_code("no_such_code"));
}

TEST(Error, E4TwentyOfAKindAreShown) {
  Failure failure;
  for (std::int64_t i = 0; i < 25; ++i) failure.faults.push_back(truncated(i));
  const std::string text = Error(std::move(failure)).what();
  EXPECT_NE(text.find("shard_19.npy"), std::string::npos);
  EXPECT_EQ(text.find("shard_20.npy"), std::string::npos);
  EXPECT_NE(text.find("+5 more of shard.truncated"), std::string::npos);
  EXPECT_NE(text.find("25 faults"), std::string::npos);
}

TEST(Error, StatusBecomesAnExceptionInOnePlace) {
  EXPECT_NO_THROW(throw_if_failed(Status()));
  EXPECT_THROW(throw_if_failed(Status(truncated(1))), Error);
  EXPECT_EQ(value_or_throw(Result<int>(7)), 7);
  EXPECT_THROW(value_or_throw(Result<int>(truncated(1))), Error);
}

}  // namespace
}  // namespace loadstone
