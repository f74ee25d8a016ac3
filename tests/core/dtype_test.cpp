#include <gtest/gtest.h>
#include <loadstone/dtype.hpp>

#include <string>
#include <vector>

namespace loadstone {
namespace {

TEST(DType, TextsThatUsersWrite) {
  const std::vector<std::pair<std::string, std::string>> table = {// given, str()
                                                                  {"float32", "<f4"},
                                                                  {"f8", "<f8"},
                                                                  {"<f4", "<f4"},
                                                                  {">i8", ">i8"},
                                                                  {"|u1", "|u1"},
                                                                  {"<u1", "|u1"},
                                                                  {"bool", "|b1"},
                                                                  {"?", "|b1"},
                                                                  {"complex128", "<c16"},
                                                                  {"uint16", "<u2"},
                                                                  {"|S5", "|S5"},
                                                                  {"<U3", "<U3"},
                                                                  {">U3", ">U3"},
                                                                  {"<M8[ns]", "<M8[ns]"},
                                                                  {"datetime64[us]", "<M8[us]"},
                                                                  {"|V7", "|V7"},
                                                                  {">m8[25s]", ">m8[25s]"}};
  for (const auto& [given, wanted] : table) {
    const auto dtype = parse_dtype(given);
    ASSERT_TRUE(dtype) << given;
    EXPECT_EQ(dtype->str(), wanted) << given;
  }
}

TEST(DType, TextsThatAreNone) {
  for (const char* text : {"", "f", "float31", "f3", "<q9", "i16", "float", "object", "O", "<M8[", "float32 ", "b2",
                           "c4", "f-4", "f99999999999999999999"}) {
    EXPECT_FALSE(parse_dtype(text)) << text;
  }
}

TEST(DType, NamesAsNumPy) {
  EXPECT_EQ(parse_dtype("<f4")->name(), "float32");
  EXPECT_EQ(parse_dtype("|b1")->name(), "bool");
  EXPECT_EQ(parse_dtype("<M8[ns]")->name(), "datetime64[ns]");
  EXPECT_EQ(parse_dtype("|S5")->name(), "|S5");
}

TEST(DType, SwapUnits) {
  EXPECT_EQ(parse_dtype("<c16")->swap_unit(), 8);
  EXPECT_EQ(parse_dtype("<U3")->swap_unit(), 4);
  EXPECT_EQ(parse_dtype("|S5")->swap_unit(), 1);
  EXPECT_EQ(parse_dtype(">i4")->native(), parse_dtype("<i4"));
}

}  // namespace
}  // namespace loadstone
