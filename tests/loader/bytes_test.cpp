// Bytes as text (io.md section 10).
#include <gtest/gtest.h>
#include <loadstone/error.hpp>
#include <loadstone/options.hpp>

#include <string>
#include <utility>
#include <vector>

namespace loadstone {
namespace {

TEST(Bytes, ParsesWhatPeopleWrite) {
  for (const auto& [text, bytes] : std::vector<std::pair<std::string, std::int64_t>>{{"0", 0},
                                                                                     {"16777216", 16777216},
                                                                                     {"17B", 17},
                                                                                     {"500 KiB", 512000},
                                                                                     {"64MiB", 64 << 20},
                                                                                     {"1GiB", 1 << 30}}) {
    EXPECT_EQ(parse_bytes(text), bytes) << text;
  }
}

TEST(Bytes, RefusesEverythingElse) {
  for (const char* text : {"", "lots", "-1", "1.5GiB", "1 GB", "1gib", "1  KiB", "1 ", "MiB", "9223372036854775808",
                           "9007199254740992GiB"}) {
    try {
      parse_bytes(text);
      ADD_FAILURE() << "took '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_argument) << text;
    }
  }
}

TEST(Bytes, Formats) {
  EXPECT_EQ(format_bytes(17), "17 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(64 << 20), "64.0 MiB");
  EXPECT_EQ(format_bytes((std::int64_t{1} << 20) - 1), "1.0 MiB");
}

}  // namespace
}  // namespace loadstone
