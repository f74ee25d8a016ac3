#include "formats/npy_frame.hpp"

#include "formats/npy.hpp"
#include "formats/npy_bytes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace loadstone::formats {
namespace {

Result<NpyFrame> frame_of(std::string_view file, std::int64_t file_bytes) {
  return parse_npy_frame(bytes_of(file.substr(0, 12)), file_bytes, Limits{});
}
Result<NpyFrame> frame_of(std::string_view file) { return frame_of(file, std::ssize(file)); }

TEST(NpyFrame, DS28ThreeVersions) {
  const auto one = frame_of(framed(std::string(118, ' ')));
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->version, 1);
  EXPECT_EQ(one->prefix_bytes, 10);
  EXPECT_EQ(one->end(), 128);
  for (const int version : {2, 3}) {
    const auto frame = frame_of(framed(std::string(116, ' '), {.version = version}));
    ASSERT_TRUE(frame.ok());
    EXPECT_EQ(frame->version, version);
    EXPECT_EQ(frame->prefix_bytes, 12);
    EXPECT_EQ(frame->end(), 128);
  }
}

TEST(NpyFrame, DS28OtherVersionsAreNamed) {
  for (const auto& [major, minor] : {std::pair{0, 0}, {4, 0}, {255, 0}, {1, 1}, {2, 1}, {3, 255}}) {
    const Fault fault = fault_of(frame_of(framed(std::string(118, ' '), {.version = major, .minor = minor})));
    EXPECT_EQ(fault.kind, "header.version");
    EXPECT_EQ(fault.code, Code::malformed);
    EXPECT_EQ(fault.offset, 6);
    EXPECT_EQ(number_or_text(fault.got), std::to_string(major) + "." + std::to_string(minor));
  }
}

TEST(NpyFrame, DS28LengthIsLittleEndian) {
  const std::string header(0x0201, ' ');
  EXPECT_EQ(frame_of(framed(header)).value().header_bytes, 0x0201);
  EXPECT_EQ(frame_of(framed(header, {.version = 2})).value().header_bytes, 0x0201);
}

TEST(NpyFrame, DS29C002TwelveBytesThatAskForFourGiB) {
  const Fault fault = fault_of(frame_of(framed("", {.version = 2, .length = 0xffffffff})));
  EXPECT_EQ(fault.kind, "header.length");
  EXPECT_EQ(fault.code, Code::malformed);
  EXPECT_EQ(number_or_text(fault.wanted), "4294967295");
  EXPECT_EQ(number_or_text(fault.got), "0");
}

TEST(NpyFrame, T1LengthsThatLie) {  // every power of two and both neighbours: right only up to what the file holds
  for (const int version : {1, 2, 3}) {
    const std::int64_t most = version == 1 ? 0xffff : 0xffffffff;
    for (int power = 0; power <= 32; ++power) {
      for (const std::int64_t step : {-1, 0, 1}) {
        const std::int64_t length = std::min((std::int64_t{1} << power) + step, most);
        const std::string file =
            framed(std::string(118, ' '), {.version = version, .length = static_cast<std::uint32_t>(length)});
        const auto frame = frame_of(file);
        EXPECT_EQ(frame.ok(), length <= 118) << version << " " << length;
        EXPECT_EQ(fault_of(frame).kind, length <= 118 ? "" : "header.length");
      }
    }
  }
}

TEST(NpyFrame, DS29TheLimitIsOnTheHeaderText) {
  Limits limits;
  limits.max_npy_header_bytes = 100;
  const auto of = [&](std::size_t bytes) {
    const std::string file = framed(std::string(bytes, ' '), {.version = 2});
    return parse_npy_frame(bytes_of(file), std::ssize(file), limits);
  };
  EXPECT_TRUE(of(100).ok());
  const Fault fault = fault_of(of(101));
  EXPECT_EQ(fault.kind, "header.length");
  EXPECT_EQ(number_or_text(fault.wanted), "100");
  EXPECT_EQ(number_or_text(fault.got), "101");
  EXPECT_NE(fault.remedy.text().find("max_header_bytes"), std::string::npos);
}

TEST(NpyFrame, DS29OneMebibyteByDefault) {
  const std::string prefix = framed("", {.version = 2, .length = 1U << 20});
  EXPECT_TRUE(frame_of(prefix, std::int64_t{1} << 40).ok());
  const std::string over = framed("", {.version = 2, .length = (1U << 20) + 1});
  EXPECT_EQ(fault_of(frame_of(over, std::int64_t{1} << 40)).kind, "header.length");
}

TEST(NpyFrame, T9CutAnywhereInThePrefix) {
  for (const int version : {1, 2, 3}) {
    const std::string file = framed("", {.version = version});
    for (std::size_t cut = 0; cut < file.size(); ++cut) {
      const Fault fault = fault_of(frame_of(file.substr(0, cut)));
      EXPECT_EQ(fault.kind, cut < 6 ? "shard.format" : "header.cut") << cut;
      EXPECT_EQ(fault.code, Code::malformed);
      EXPECT_FALSE(fault.remedy.empty());
    }
  }
}

TEST(NpyFrame, HeaderEndIsPrefixAndLength) {
  const std::string file = framed(std::string(70, ' '));
  EXPECT_EQ(npy_header_end(bytes_of(file), std::ssize(file), Limits{}).value(), 80);
  EXPECT_EQ(fault_of(npy_header_end(bytes_of(file), 79, Limits{})).kind, "header.length");
}

}  // namespace
}  // namespace loadstone::formats
