#include "cli/progress_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

namespace loadstone::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

struct Screen {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), std::fclose};
  std::string text() {
    EXPECT_EQ(std::fseek(file.get(), 0, SEEK_SET), 0);
    std::string all(4096, '\0');
    all.resize(std::fread(all.data(), 1, all.size(), file.get()));
    return all;
  }
};

TEST(ProgressLine, SaysBytesRateAndTimeLeft) {
  EXPECT_EQ(progress_text({.bytes_done = 256 * kMiB, .bytes_wanted = 1024 * kMiB, .seconds = 2}),
            " 25 %  256.0 MiB of 1.0 GiB  0.13 GB/s  6 s left");
}

TEST(ProgressLine, DividesByNothing) {
  EXPECT_EQ(progress_text({}), "100 %  0 B of 0 B  0.00 GB/s");
  EXPECT_EQ(progress_text({.bytes_done = 0, .bytes_wanted = 10, .seconds = 0}), "  0 %  0 B of 10 B  0.00 GB/s");
}

TEST(ProgressLine, SumsRanksAndErasesItself) {
  Screen screen;
  {
    const auto line = std::make_shared<ProgressLine>(screen.file.get(), 2);
    const ProgressCallback first = line->callback(0), second = line->callback(1);
    first({.bytes_done = 1 * kMiB, .bytes_wanted = 4 * kMiB, .seconds = 1});
    second({.bytes_done = 3 * kMiB, .bytes_wanted = 4 * kMiB, .seconds = 2});
  }
  EXPECT_THAT(screen.text(), HasSubstr(" 50 %  4.0 MiB of 8.0 MiB"));
  EXPECT_THAT(screen.text(), EndsWith("\r\x1b[K"));
}

TEST(ProgressLine, WritesNothingWithoutProgress) {
  Screen screen;
  {
    const auto line = std::make_shared<ProgressLine>(screen.file.get(), 1);
  }
  EXPECT_EQ(screen.text(), "");
}

}  // namespace
}  // namespace loadstone::cli
