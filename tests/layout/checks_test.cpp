#include "layout/checks.hpp"

#include <loadstone/distribution.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace loadstone {
namespace {

using layout::check_counts;
using layout::check_cuts;
using layout::check_mesh;
using layout::check_rules;
using layout::Faults;
using testing::HasSubstr;
using Kind = AxisRule::Kind;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::vector<std::int64_t> list(std::initializer_list<std::int64_t> values) { return values; }

TEST(Checks, CountsTellAllThatIsWrong_ARA11_DS45) {
  EXPECT_TRUE(check_counts(list({4, 6}), 10, 2).empty());
  EXPECT_TRUE(check_counts(list({0, 0}), 0, {}).empty());
  const Faults faults = check_counts(list({-1, 3, -2, 4}), 10, 3);
  ASSERT_EQ(faults.size(), 3U);
  for (const Fault& fault : faults) {
    EXPECT_EQ(fault.kind, "tiles.map");
    EXPECT_EQ(fault.code, Code::bad_argument);
  }
  EXPECT_EQ(faults[0].wanted, Value(std::int64_t{3}));
  EXPECT_EQ(faults[0].got, Value(std::int64_t{4}));
  EXPECT_THAT(faults[1].message, HasSubstr("entry 0 is -1, entry 2 is -2"));
  EXPECT_THAT(faults[2].message, HasSubstr("add up to 4, but the axis has 10: 6 too few"));
  EXPECT_EQ(faults[2].wanted, Value(std::int64_t{10}));
  EXPECT_EQ(faults[2].got, Value(std::int64_t{4}));
}

TEST(Checks, CountsThatOverflow_ARA6) {
  const Faults faults = check_counts(list({kMost, kMost, 12}), 10, {});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0].message, HasSubstr("more than 2^63 - 1"));
  EXPECT_THAT(check_counts(list({std::numeric_limits<std::int64_t>::min()}), kMost, {})[1].message, HasSubstr("few"));
}

TEST(Checks, ManyOffendersAreCut_ARA11) {
  const std::vector<std::int64_t> bad(9, -1);
  EXPECT_THAT(check_counts(bad, -9, {})[0].message, HasSubstr("entry 4 is -1, +4 more"));
}

TEST(Checks, Cuts_ARA11) {
  EXPECT_TRUE(check_cuts(list({0, 3, 3, 10}), 10, 3).empty());
  struct Case {
    std::vector<std::int64_t> offsets;
    std::size_t faults;
  };
  for (const Case& bad : {Case{{0, 6, 5, 10}, 1}, Case{{1, 5, 10}, 1}, Case{{0, 5, 9}, 1}, Case{{0, 5, 11}, 1},
                          Case{{0, -5, 10}, 1}, Case{{0}, 2}, Case{{}, 1}, Case{{2, 1, 3}, 3}}) {
    EXPECT_EQ(check_cuts(bad.offsets, 10, {}).size(), bad.faults) << testing::PrintToString(bad.offsets);
  }
  EXPECT_EQ(check_cuts(list({0, 5, 10}), 10, 3)[0].wanted, Value(std::int64_t{4}));
}

TEST(Checks, Shapes_ARA6) {
  const std::int64_t big = std::int64_t{1} << 32;
  EXPECT_EQ(layout::check_shape(list({big, big}))[0].kind, "layout.shape");
  EXPECT_TRUE(layout::check_shape(list({big, 0, big / 4})).empty());
  EXPECT_FALSE(layout::check_shape(list({-1})).empty());
  EXPECT_TRUE(layout::check_shape(std::vector<std::int64_t>(64, 1)).empty());
  EXPECT_FALSE(layout::check_shape(std::vector<std::int64_t>(65, 1)).empty());
}

TEST(Checks, Meshes_ARA11) {
  EXPECT_TRUE(check_mesh({{2, 2}, {3, 1, 0, 2}}).empty());
  for (const Mesh& bad :
       {Mesh{{}, {}}, Mesh{{2, 0}, {}}, Mesh{{2, -1}, {}}, Mesh{{kMost, 3}, {}}, Mesh{{2, 2}, {0, 1, 1, 3}},
        Mesh{{2, 2}, {0, 1, 2}}, Mesh{{2, 2}, {0, 1, 2, 4}}, Mesh{{2, 2}, {0, 1, 2, -1}}}) {
    EXPECT_EQ(check_mesh(bad).size(), 1U) << testing::PrintToString(bad.dims);
  }
}

TEST(Checks, Rules_ARA11) {
  const Mesh mesh{{2, 2}, {}};
  const std::vector<std::int64_t> shape{4, 6};
  const AxisRule whole;
  const auto even = [](std::vector<std::int64_t> axes) { return AxisRule{Kind::even, {}, 0, std::move(axes)}; };
  using Rules = std::vector<AxisRule>;
  EXPECT_TRUE(check_rules(shape, mesh, Rules{even({0}), even({1})}).empty());
  EXPECT_EQ(check_rules(shape, mesh, Rules{even({2}), whole}).size(), 1U);
  EXPECT_EQ(check_rules(shape, mesh, Rules{even({0}), even({0})}).size(), 1U);
  EXPECT_EQ(check_rules(shape, mesh, Rules{even({0, 0}), whole}).size(), 1U);
  EXPECT_EQ(check_rules(shape, mesh, Rules{whole}).size(), 1U);
  EXPECT_EQ(check_rules(shape, mesh, Rules{{Kind::whole, {}, 0, {0}}, whole}).size(), 1U);
  EXPECT_EQ(check_rules(shape, mesh, Rules{{Kind::cyclic, {}, 0, {0}}, {Kind::cuts, {0, 6}, 0, {1}}}).size(), 2U);
}

TEST(Checks, ComeTogetherInOneError_ARA11) {
  try {
    Distribution::counts({10, -1}, 7, list({}));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.faults().size(), 3U) << error.what();  // shape, axis, ranks
    EXPECT_EQ(error.failure().total_faults, 3);
  }
}

}  // namespace
}  // namespace loadstone
