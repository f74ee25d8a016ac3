#include "plan/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using plan::make_problem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> kinds(const Result<plan::Problem>& result) {
  std::vector<std::string> found;
  if (result.ok()) return found;
  for (const Fault& fault : result.status().failure().faults) found.push_back(fault.kind);
  return found;
}

LoadOptions to(std::string_view dtype, Casting casting = Casting::lossless) {
  LoadOptions options;
  options.dtype = dtype_of(dtype);
  options.casting = casting;
  return options;
}

TEST(Problem, KeepsTheTypeOfTheFile_DS49_C080) {
  const Dataset dataset = dataset_of({10}, {4, 6}, dtype_of(">i8"));
  const auto problem = make_problem(dataset, {}, 2);
  ASSERT_TRUE(problem.ok());
  EXPECT_EQ(problem->result_dtype, dtype_of("<i8"));
  EXPECT_TRUE(plan::needs_conversion(*problem, 0));
  EXPECT_EQ(problem->tiles_name, "balanced");
}

TEST(Problem, RefusesLossyCastsNamingTheWordsThatAllowThem_DS49) {
  const Dataset dataset = dataset_of({10}, {4, 6}, dtype_of("f8"));
  const auto problem = make_problem(dataset, to("f4"), 2);
  ASSERT_THAT(kinds(problem), ElementsAre("cast.lossy"));
  const Fault& fault = problem.status().failure().first();
  EXPECT_EQ(fault.code, Code::lossy);
  EXPECT_EQ(fault.shard, 0);
  EXPECT_EQ(fault.path, "shard_0.npy");
  EXPECT_THAT(fault.remedy, HasSubstr("Casting::checked"));
  EXPECT_THAT(fault.remedy, HasSubstr("Casting::lossy"));
  EXPECT_EQ(fault.wanted, Value(std::string("float32")));
  EXPECT_EQ(fault.got, Value(std::string("float64")));
  EXPECT_TRUE(make_problem(dataset, to("f4", Casting::checked), 2).ok());
  EXPECT_TRUE(make_problem(dataset, to("f4", Casting::lossy), 2).ok());
}

TEST(Problem, OneFaultAStoredTypeAtItsFirstShard_DS49) {
  Dataset dataset = dataset_of({50}, {10, 10, 10, 10, 10}, dtype_of("f4"));
  dataset.shards[1].dtype = dtype_of("f8");
  dataset.shards[2].dtype = dtype_of("i8");
  dataset.shards[4].dtype = dtype_of("f8");
  const auto problem = make_problem(dataset, to("f4"), 2);
  ASSERT_THAT(kinds(problem), ElementsAre("cast.lossy", "cast.lossy"));
  EXPECT_EQ(problem.status().failure().faults[0].shard, 1);
  EXPECT_EQ(problem.status().failure().faults[1].shard, 2);
  EXPECT_TRUE(make_problem(dataset, to("f4", Casting::lossy), 2).ok());
}

TEST(Problem, NoWordAllowsSomeCasts_DS49) {
  const Dataset complex = dataset_of({10}, {10}, dtype_of("c8"));
  const auto lossy = make_problem(complex, to("f4", Casting::lossy), 2);
  ASSERT_THAT(kinds(lossy), ElementsAre("cast.lossy"));
  EXPECT_THAT(lossy.status().failure().first().remedy, testing::Not(HasSubstr("Casting")));
  const Dataset text = dataset_of({10}, {10}, DType{Kind::bytes, 5, ByteOrder::none, {}});
  const auto unsupported = make_problem(text, to("f4", Casting::lossy), 2);
  ASSERT_THAT(kinds(unsupported), ElementsAre("cast.unsupported"));
  EXPECT_EQ(unsupported.status().code(), Code::unsupported);
  EXPECT_TRUE(make_problem(text, {}, 2).ok());
}

TEST(Problem, TellsAllThatIsWrongAtOnce) {
  const Dataset dataset = dataset_of({10, 3}, {10}, dtype_of("f8"));
  LoadOptions options = to("f4");
  options.split = 2;
  EXPECT_THAT(kinds(make_problem(dataset, options, 2)), ElementsAre("split", "cast.lossy"));
  options.select = {99};
  EXPECT_THAT(kinds(make_problem(dataset, options, 2)), ElementsAre("select", "cast.lossy"));
}

TEST(Problem, SplitRefersToTheSelectedArray_DS53) {
  const Dataset dataset = dataset_of({10, 3, 4}, {10}, dtype_of("f8"));
  LoadOptions options;
  options.select = parse_selection(":,0,:");
  options.split = 1;
  const auto problem = make_problem(dataset, options, 2);
  ASSERT_TRUE(problem.ok());
  EXPECT_EQ(problem->target.shape(), (Shape{10, 4}));
  EXPECT_EQ(problem->target.split(), 1);
  EXPECT_EQ(problem->tiles.shape(), (Shape{10, 1, 4}));
  EXPECT_EQ(problem->tiles.split(), 2);
  options.split = 2;
  EXPECT_THAT(kinds(make_problem(dataset, options, 2)), ElementsAre("split"));
}

TEST(Problem, RefusesAResultThatNoMemoryHolds_ARA6) {
  const Dataset dataset = dataset_of({std::int64_t{1} << 62}, {std::int64_t{1} << 62}, dtype_of("u1"));
  const auto problem = make_problem(dataset, to("f8"), 2);
  ASSERT_THAT(kinds(problem), ElementsAre("result.size"));
  EXPECT_EQ(problem.status().code(), Code::too_large);
}

TEST(Problem, OfADatasetWithoutShardsOrRows_DS33) {
  const Dataset none = dataset_of({0, 4}, {}, dtype_of("f8"));
  const Dataset empty = dataset_of({0, 4}, {0, 0}, dtype_of("f8"));
  for (const Dataset* dataset : {&none, &empty}) {
    const auto problem = make_problem(*dataset, {}, 3);
    ASSERT_TRUE(problem.ok());
    for (int rank = 0; rank < 3; ++rank) EXPECT_TRUE(plan::overlaps_of(*problem, rank).empty());
    EXPECT_TRUE(plan::fit_budget(*problem).ok());
  }
}

TEST(Problem, NamesItsTiles_DS61) {
  const Dataset dataset = dataset_of({10}, {10}, dtype_of("f8"));
  const auto name = [&](const LoadOptions& options) { return make_problem(dataset, options, 2)->tiles_name; };
  LoadOptions options;
  options.tiles = Tiles::ceil;
  EXPECT_EQ(name(options), "ceil");
  options = {};
  options.rows_per_rank = {4, 6};
  EXPECT_EQ(name(options), "explicit");
  options = {};
  options.split.reset();
  EXPECT_EQ(name(options), "replicated");
}

}  // namespace
}  // namespace loadstone
