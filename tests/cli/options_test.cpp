#include "cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace loadstone::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Arguments load_with(Text Arguments::* flag, const std::string& text) {
  Arguments arguments;
  arguments.command = "load";
  arguments.*flag = text;
  return arguments;
}

/// The fault of a conversion that must be refused.
Fault refused(const std::function<void()>& convert) {
  try {
    convert();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::bad_argument);
    return error.faults().front();
  }
  ADD_FAILURE() << "was not refused";
  return {};
}

TEST(Options, AreTheLibrarysDefaultsWithoutFlags) {
  const LoadOptions options = load_options({});
  EXPECT_EQ(options.split, 0);
  EXPECT_EQ(options.tiles, Tiles::balanced);
  EXPECT_FALSE(options.budget_bytes);
  EXPECT_FALSE(options.has_rows_per_rank);
  EXPECT_FALSE(options.identity);
  EXPECT_EQ(options.io.retries, -1);
  EXPECT_EQ(options.deadline_s, 0);
  EXPECT_THAT(options.io.backend, IsEmpty());
  EXPECT_FALSE(options.open.cast);
}

TEST(Options, ReadLayout) {
  EXPECT_EQ(load_options(load_with(&Arguments::split, "none")).split, std::nullopt);
  EXPECT_EQ(load_options(load_with(&Arguments::split, "-1")).split, -1);
  EXPECT_EQ(load_options(load_with(&Arguments::tiles, "ceil")).tiles, Tiles::ceil);
  EXPECT_THAT(load_options(load_with(&Arguments::rows_per_rank, "11,0,-1")).rows_per_rank, ElementsAre(11, 0, -1));
  EXPECT_TRUE(load_options(load_with(&Arguments::rows_per_rank, "7")).has_rows_per_rank);
  EXPECT_EQ(load_options(load_with(&Arguments::overdecompose, "4")).overdecompose, 4);
  EXPECT_EQ(load_options(load_with(&Arguments::casting, "checked")).casting, Casting::checked);
  EXPECT_EQ(load_options(load_with(&Arguments::verify, "crc")).verify, Verify::crc);
  EXPECT_EQ(load_options(load_with(&Arguments::identity, "size_mtime")).identity, IdentityRule::size_mtime);
}

TEST(Options, ReadSelection) {
  EXPECT_EQ(load_options(load_with(&Arguments::rows, "100:200")).rows, (Slice{100, 200, 1}));
  EXPECT_EQ(load_options(load_with(&Arguments::rows, "-5:")).rows, (Slice{-5, std::nullopt, 1}));
  const Selection selection = load_options(load_with(&Arguments::select, "1::7,-2")).select;
  ASSERT_EQ(selection.size(), 2U);
  EXPECT_EQ(std::get<Slice>(selection[0]), (Slice{1, std::nullopt, 7}));
  EXPECT_EQ(std::get<std::int64_t>(selection[1]), -2);
}

TEST(Options, ReadBytes) {
  EXPECT_EQ(load_options(load_with(&Arguments::budget, "16777216")).budget_bytes, 16 * kMiB);
  EXPECT_EQ(load_options(load_with(&Arguments::budget, "64MiB")).budget_bytes, 64 * kMiB);
  EXPECT_EQ(load_options(load_with(&Arguments::budget, "1")).budget_bytes, 1);
  EXPECT_EQ(io_options(load_with(&Arguments::io_request, "256KiB")).request_bytes, 256 * 1024);
}

TEST(Options, DtypeIsACastAndTheTypeOfUndescribedShards) {  // DS37
  const LoadOptions options = load_options(load_with(&Arguments::dtype, "<f4"));
  ASSERT_TRUE(options.dtype && options.open.cast);
  EXPECT_EQ(options.dtype->str(), "<f4");
  EXPECT_EQ(*options.open.cast, *options.dtype);
}

TEST(Options, ReadHowADatasetIsOpened) {
  EXPECT_TRUE(open_options(load_with(&Arguments::first_index, "any")).any_first_index);
  EXPECT_EQ(open_options(load_with(&Arguments::first_index, "1")).first_index, 1);
  EXPECT_EQ(open_options(load_with(&Arguments::order, "numeric")).order, Order::numeric);
  EXPECT_EQ(open_options(load_with(&Arguments::trailing_shape, "3,4")).trailing_shape, (Shape{3, 4}));
  EXPECT_EQ(open_options(load_with(&Arguments::trailing_shape, "none")).trailing_shape, Shape{});
  EXPECT_EQ(open_options(load_with(&Arguments::header_bytes, "0")).header_bytes, 0);
  Arguments arguments;
  arguments.roots = {"/a", "/b:/c:"};
  EXPECT_THAT(open_options(arguments).roots, ElementsAre("/a", "/b", "/c"));
}

TEST(Options, RefuseWrongTextsByTheFlagsName) {
  const std::vector<std::tuple<Text Arguments::*, const char*, const char*>> table{
      {&Arguments::split, "x", "--split"},
      {&Arguments::split, "", "--split"},
      {&Arguments::tiles, "square", "--tiles"},
      {&Arguments::casting, "maybe", "--casting"},
      {&Arguments::budget, "lots", "--budget"},
      {&Arguments::rows, "5", "--rows"},
      {&Arguments::rows, "1:9:2", "--rows"},
      {&Arguments::rows, "1:2,3:4", "--rows"},
      {&Arguments::select, "::-1", "--select"},
      {&Arguments::rows_per_rank, "3,,4", "--rows-per-rank"},
      {&Arguments::rows_per_rank, "3,4,", "--rows-per-rank"},
      {&Arguments::overdecompose, "0", "--overdecompose"},
      {&Arguments::dtype, "float31", "--dtype"},
      {&Arguments::deadline, "never", "--deadline"},
      {&Arguments::deadline, "0", "--deadline"},
      {&Arguments::deadline, "nan", "--deadline"},
      {&Arguments::threads, "0", "--threads"},
      {&Arguments::threads, "2x", "--threads"},
      {&Arguments::io_depth, "513", "--io-depth"},
      {&Arguments::io_direct, "perhaps", "--io-direct"},
      {&Arguments::trailing_shape, "-4", "--trailing-shape"},
      {&Arguments::first_index, "-1", "--first-index"},
      {&Arguments::verify, "md5", "--verify"},
  };
  for (const auto& [flag, text, name] : table) {
    const Fault fault = refused([&, where = flag, what = text] { load_options(load_with(where, what)); });
    EXPECT_EQ(fault.item, name) << text;
    EXPECT_THAT(fault.message, HasSubstr(text));
  }
}

TEST(Options, ValuesOfCommonFlagsAreCheckedForEveryCommand) {
  check_common({});
  check_common(load_with(&Arguments::format, "hdf5"));  // known: the library says that it is not built
  const std::vector<std::tuple<Text Arguments::*, const char*, const char*>> table{
      {&Arguments::budget, "lots", "--budget"},
      {&Arguments::threads, "0", "--threads"},
      {&Arguments::format, "banana", "--format"},
      {&Arguments::format, "", "--format"},
  };
  for (const auto& [flag, text, name] : table) {
    EXPECT_EQ(refused([&, where = flag, what = text] { check_common(load_with(where, what)); }).item, name) << text;
  }
}

TEST(Options, AnUnknownFormatListsTheKnownAndTheNearest) {
  const Fault fault = refused([] { check_common(load_with(&Arguments::format, "nyp")); });
  EXPECT_THAT(fault.message, HasSubstr("npy, raw, safetensors"));
  EXPECT_THAT(fault.message, HasSubstr("'nyp'"));
  EXPECT_THAT(fault.remedy.text(), HasSubstr("'npy'"));
}

TEST(Options, CountRanks) {
  EXPECT_EQ(rank_count({}, 3), 3);
  EXPECT_EQ(rank_count(load_with(&Arguments::ranks, "64"), 1), 64);
  for (const char* text : {"0", "-1", "", "two", "4097"}) {
    EXPECT_EQ(refused([&] { rank_count(load_with(&Arguments::ranks, text), 1); }).item, "--ranks") << text;
  }
  EXPECT_EQ(only_rank({}, 4), std::nullopt);
  EXPECT_EQ(only_rank(load_with(&Arguments::rank, "3"), 4), 3);
  EXPECT_EQ(refused([] { only_rank(load_with(&Arguments::rank, "4"), 4); }).item, "--rank");
}

TEST(Options, ShapeOfWriteIsStrict) {  // DS63
  EXPECT_EQ(write_options(load_with(&Arguments::shape, "40,0,3")).shape, (Shape{40, 0, 3}));
  for (const char* text : {"4,,8", "4,8,", ",4", "4,-8", "4,x", "", "4 8"}) {
    EXPECT_EQ(refused([&] { write_options(load_with(&Arguments::shape, text)); }).item, "--shape") << text;
  }
  EXPECT_EQ(write_options({}).shape, (Shape{4'000'000, 8})) << "DS63";
  EXPECT_EQ(write_options({}).shards, 4);
}

TEST(Options, DefaultsOfWrite) {  // DS63
  const WriteOptions options = write_options(load_with(&Arguments::shape, "40,3"));
  EXPECT_EQ(options.dtype.name(), "float32");
  EXPECT_EQ(options.rows, "uneven");
  EXPECT_EQ(options.fill, "random");
  EXPECT_EQ(options.seed, 0U);
  EXPECT_FALSE(options.force);
}

}  // namespace
}  // namespace loadstone::cli
