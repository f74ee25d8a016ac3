// Plans as people and programs see them, against files in tests/golden. LOADSTONE_UPDATE_GOLDEN=1 rewrites the files.
#include "plan/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace loadstone {
namespace {

using namespace test;  // NOLINT: short names of this test's own helpers
using testing::HasSubstr;

LoadPlan planned(const Dataset& dataset, LoadOptions options, std::int64_t ranks,
                 std::optional<std::int64_t> only_rank = std::nullopt) {
  if (!options.budget_bytes) options.budget_bytes = std::int64_t{64} << 20;
  auto problem = value_or_throw(plan::make_problem(dataset, options, ranks));
  problem.metadata_bytes = 4096;
  return plan::explain(problem, value_or_throw(plan::fit_budget(problem)), only_rank);
}

void expect_golden(const std::string& text, const std::string& name) {
  const std::string path = std::string(LOADSTONE_GOLDEN_DIR) + "/" + name;
  if (std::getenv("LOADSTONE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; LOADSTONE_UPDATE_GOLDEN=1 writes it";
  std::ostringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(text, wanted.str()) << name << "; LOADSTONE_UPDATE_GOLDEN=1 rewrites it";
}

void expect_golden_plan(const LoadPlan& plan, const std::string& name) {
  expect_golden(plan.to_text(), "plan_" + name + ".txt");
  expect_golden(plan.to_json() + "\n", "plan_" + name + ".json");
}

Dataset a1() { return dataset_of({8000000, 16}, std::vector<std::int64_t>(8, 1000000), dtype_of("<f4")); }
Dataset a2() { return dataset_of({6020, 256}, {1200, 350, 2048, 17, 999, 1406}, dtype_of("<f4")); }
Dataset a8() { return dataset_of({4000000, 8}, {2044546, 503300, 854649, 597505}, dtype_of("<f4")); }

TEST(GoldenPlan, EqualShards_A1) {
  expect_golden_plan(planned(a1(), {}, 8), "a1_8_ranks");
  expect_golden_plan(planned(a1(), {}, 3), "a1_3_ranks");
}

TEST(GoldenPlan, UnevenShards_A2) {
  expect_golden_plan(planned(a2(), {}, 4), "a2");
  LoadOptions columns;
  columns.split = 1;
  expect_golden_plan(planned(a2(), columns, 4), "a2_columns");
  expect_golden_plan(planned(a2(), {}, 4, 2), "a2_one_rank");
}

TEST(GoldenPlan, OfTheRecipe_A8) {
  LoadOptions options;
  options.tiles = Tiles::ceil;
  expect_golden_plan(planned(a8(), options, 7), "a8_ceil");
}

TEST(GoldenPlan, ConvertedAndTransposed) {
  Dataset dataset = dataset_of({3000, 128}, {100, 900, 0, 1500, 1, 499}, dtype_of(">i4"));
  for (Shard& shard : dataset.shards) shard.order = StorageOrder::f;
  LoadOptions options;
  options.dtype = dtype_of("f8");
  options.split.reset();
  options.budget_bytes = std::int64_t{2} << 20;
  expect_golden_plan(planned(dataset, options, 2), "converted");
}

TEST(GoldenPlan, SelectedWithAGuessedBudget) {
  LoadOptions options;
  options.select = parse_selection("100:6000:7,-2");
  options.rows_per_rank = {0, 843};
  Dataset dataset = a2();
  auto problem = value_or_throw(plan::make_problem(dataset, options, 2));
  problem.budget_bytes = std::int64_t{512} << 20;
  expect_golden_plan(plan::explain(problem, value_or_throw(plan::fit_budget(problem)), std::nullopt), "selected");
}

TEST(GoldenPlan, A0dArray_DS32) { expect_golden_plan(planned(dataset_of({}, {1}, dtype_of("<f8")), {}, 2), "0d"); }

TEST(PlanText, ShowsOverlapsInBrackets_DS61) {
  EXPECT_THAT(planned(a2(), {}, 4).to_text(), HasSubstr("2[1460:2048] -> [0:588]"));
}

TEST(PlanText, FitsAScreen) {
  const Dataset dataset = dataset_of({100000}, std::vector<std::int64_t>(1000, 100), dtype_of("<f8"));
  const std::string text = planned(dataset, {}, 100).to_text();
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50);
  EXPECT_THAT(text, HasSubstr("+6 more"));
  EXPECT_THAT(text, HasSubstr("+68 more ranks"));
}

TEST(PlanJson, SplitIsNullWhereNothingIsSplit_DS61) {
  LoadOptions options;
  options.split.reset();
  EXPECT_THAT(planned(a2(), options, 2).to_json(), HasSubstr("\"split\":null"));
}

}  // namespace
}  // namespace loadstone
