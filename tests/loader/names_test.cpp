// Names and order (DS10 to DS16): tables, and properties over random numberings.
#include "loader/names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/seed.hpp"

namespace loadstone::loader {
namespace {

using Names = std::vector<std::string>;

Names ordered(const Names& names, const NameOrder& told) {
  Names out;
  for (const std::size_t at : told.order) out.push_back(names[at]);
  return out;
}

Names kinds(const std::vector<Fault>& faults) {
  Names out;
  for (const Fault& fault : faults) out.push_back(fault.kind);
  std::ranges::sort(out);
  return out;
}

NameOrder told(const Names& names, const NameRules& rules = {}) { return order_names(names, rules); }

Names numbered(const std::string& before, const std::string& after, std::int64_t first, std::int64_t count,
               std::size_t width) {
  Names names;
  for (std::int64_t i = first; i < first + count; ++i) {
    std::string digits = std::to_string(i);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    names.push_back(before + digits + after);
  }
  return names;
}

TEST(Names, DS10PatternIsTextAroundTheNumberThatVaries) {
  struct Row {
    std::string before, after;
    std::size_t width;
    std::string pattern;
  };
  for (const Row& row : std::vector<Row>{{"shard_", ".npy", 4, "shard_{:04}.npy"},
                                         {"run42_x7_", ".f32.npy", 4, "run42_x7_{:04}.f32.npy"},
                                         {"", ".npy", 3, "{:03}.npy"},
                                         {"2024-part", "-v1.npy", 2, "2024-part{:02}-v1.npy"},
                                         {"s", ".npy", 1, "s{}.npy"},
                                         {"donn\xC3\xA9"
                                          "es_",
                                          "", 5,
                                          "donn\xC3\xA9"
                                          "es_{:05}"},
                                         {"a{b}_", ".npy", 2, "a{{b}}_{:02}.npy"}}) {
    const Names names = numbered(row.before, row.after, 0, 3, row.width);
    const NameOrder result = told(names);
    EXPECT_EQ(result.pattern, row.pattern);
    EXPECT_EQ(ordered(names, result), names);
    EXPECT_TRUE(result.faults.empty() && result.warnings.empty() && result.settled);
  }
}

TEST(Names, DS10TwoNumbersThatVaryNeedAWord) {
  const Names names = {"p0_q0", "p0_q1", "p10_q0", "p1_q0", "p1_q1"};
  EXPECT_EQ(kinds(told(names).faults), Names{"names.pattern"});
  const NameOrder forced = told(names, {.order = Order::numeric});
  EXPECT_EQ(ordered(names, forced), (Names{"p0_q0", "p0_q1", "p1_q0", "p1_q1", "p10_q0"}));
  EXPECT_TRUE(forced.faults.empty() && !forced.settled);
  EXPECT_EQ(kinds(forced.warnings), Names{"names.pattern"});
}

TEST(Names, DS11OrderIsNumericWhateverTheWidth) {
  for (const auto& [count, width] :
       std::vector<std::pair<std::int64_t, std::size_t>>{{101, 1}, {9999, 4}, {10000, 4}, {10001, 4}}) {
    const Names names = numbered("s", ".npy", 0, count, width);
    Names shuffled = names;
    std::ranges::sort(shuffled);
    const NameOrder result = told(shuffled);
    EXPECT_EQ(ordered(shuffled, result), names) << count;
    EXPECT_TRUE(result.faults.empty() && result.warnings.empty()) << count;
  }
}

TEST(Names, DS12MixedWidthsAreAWarning) {
  EXPECT_EQ(kinds(told({"s_0", "s_01", "s_2"}).warnings), Names{"names.width"});
  EXPECT_TRUE(told({"s_8", "s_9", "s_10"}, {.any_first_index = true}).warnings.empty());
}

TEST(Names, DS12OneNumberTwiceIsAFaultAndKeptOnce) {
  Names names = numbered("shard_", ".npy", 0, 8, 4);
  names.push_back("shard_7.npy");
  const NameOrder result = told(names);
  ASSERT_EQ(kinds(result.faults), Names{"names.duplicate"});
  EXPECT_EQ(result.faults[0].path, "shard_7.npy");
  EXPECT_EQ(result.order.size(), 8U);
}

TEST(Names, DS13FirstIndexIsZeroOrAllowed) {
  const Names names = numbered("shard_", ".npy", 1, 3, 4);
  const NameOrder result = told(names);
  ASSERT_EQ(kinds(result.faults), Names{"names.first_index"});
  EXPECT_NE(result.faults[0].message.find("numbering starts at 1"), std::string::npos);
  EXPECT_NE(result.faults[0].message.find("shard_0000.npy is missing"), std::string::npos);
  EXPECT_NE(result.faults[0].remedy.text().find("first_index = 1"), std::string::npos);
  EXPECT_TRUE(told(names, {.first_index = 1}).faults.empty());
  EXPECT_TRUE(told(names, {.any_first_index = true}).faults.empty());
  EXPECT_EQ(kinds(told(names, {.first_index = 2}).faults), Names{"names.first_index"});
  EXPECT_EQ(kinds(told(numbered("s", "", 0, 3, 2), {.first_index = 1}).faults), Names{"names.first_index"});
}

TEST(Names, DS13OfNStatesTheCountAndSettlesTheFirstIndex) {
  struct Row {
    std::int64_t first, count, stated;
    Names kinds;
  };
  for (const Row& row : std::vector<Row>{{1, 3, 3, {}},
                                         {0, 3, 3, {}},
                                         {1, 3, 4, {"names.hole"}},
                                         {0, 2, 3, {"names.hole"}},
                                         {2, 2, 3, {"names.hole"}},
                                         {1, 4, 3, {"complete.count"}},
                                         {0, 4, 3, {"complete.count"}}}) {
    const Names names = numbered("model-", "-of-0000" + std::to_string(row.stated) + ".npy", row.first, row.count, 5);
    const NameOrder result = told(names);
    EXPECT_EQ(kinds(result.faults), row.kinds) << row.first << " " << row.count << " of " << row.stated;
    EXPECT_EQ(result.stated_count, row.stated);
  }
  EXPECT_FALSE(told(numbered("proof-", "-roof-3.npy", 0, 3, 1)).stated_count);
}

TEST(Names, DS14HolesAreOneFaultWithCountsAndRanges) {
  Names names = numbered("shard_", ".npy", 0, 64, 4);
  std::erase_if(names, [](const std::string& name) {
    return name == "shard_0003.npy" || (name >= "shard_0007.npy" && name <= "shard_0011.npy");
  });
  const NameOrder result = told(names);
  ASSERT_EQ(kinds(result.faults), Names{"names.hole"});
  EXPECT_EQ(result.faults[0].message, "shard_0003, shard_0007..shard_0011; 6 missing of 64");
  EXPECT_EQ(result.faults[0].wanted, Value(std::int64_t{64}));
  EXPECT_EQ(result.faults[0].got, Value(std::int64_t{58}));
}

TEST(Names, DS15AMatchOutsideThePatternIsAStray) {
  Names names = numbered("shard_", ".npy", 0, 4, 4);
  names.push_back("shard_backup.npy");
  const NameOrder result = told(names);
  ASSERT_EQ(kinds(result.faults), Names{"names.stray"});
  EXPECT_EQ(result.faults[0].path, "shard_backup.npy");
  EXPECT_EQ(result.order.size(), 4U);
}

TEST(Names, DS1SeveralGroupsAreAmbiguousEachAsAGlobWithItsCount) {
  Names names = numbered("x_", ".npy", 0, 2, 2);
  std::ranges::copy(numbered("y_", ".npy", 0, 3, 2), std::back_inserter(names));
  const NameOrder result = told(names);
  ASSERT_EQ(kinds(result.faults), Names{"paths.ambiguous"});
  EXPECT_NE(result.faults[0].message.find("y_*.npy (3), x_*.npy (2)"), std::string::npos) << result.faults[0].message;
  EXPECT_TRUE(result.order.empty());
}

TEST(Names, NamesWithoutANumberHaveNoOrder) {
  EXPECT_EQ(kinds(told({"a.npy", "b.npy"}).faults), Names{"names.pattern"});
  EXPECT_TRUE(told({"a.npy", "b.npy"}, {.order = Order::given}).faults.empty());
  EXPECT_EQ(kinds(told({"a_12345678901234567890.npy", "a_12345678901234567891.npy"}).faults), Names{"names.pattern"});
}

TEST(Names, ASingleNameHasNoRulesButOfN) {
  for (const char* name : {"checkpoint.npy", "x-17.npy", "7.npy"}) EXPECT_TRUE(told({name}).faults.empty()) << name;
  EXPECT_EQ(kinds(told({"model-00001-of-00002.npy"}).faults), Names{"names.hole"});
  EXPECT_TRUE(told({"model-00001-of-00001.npy"}).faults.empty());
}

TEST(Names, DS16ListsKeepTheirOrderUnlessItIsThatOfStrings) {
  const Names numeric = numbered("s", ".npy", 0, 12, 1);
  Names by_string = numeric;
  std::ranges::sort(by_string);
  const Names reversed(numeric.rbegin(), numeric.rend());
  const Names shuffled = {"s7.npy", "s0.npy", "s11.npy", "s3.npy", "s1.npy", "s10.npy",
                          "s2.npy", "s9.npy", "s4.npy",  "s8.npy", "s6.npy", "s5.npy"};
  struct Row {
    Order order;
    Names listed, wanted;
    Names warnings;
  };
  for (const Row& row : std::vector<Row>{{Order::automatic, by_string, numeric, {"names.reordered"}},
                                         {Order::automatic, shuffled, shuffled, {}},
                                         {Order::automatic, numeric, numeric, {}},
                                         {Order::automatic, reversed, reversed, {}},
                                         {Order::given, by_string, by_string, {}},
                                         {Order::given, shuffled, shuffled, {}},
                                         {Order::numeric, shuffled, numeric, {}}}) {
    const NameOrder result = order_list(row.listed, row.order);
    EXPECT_EQ(ordered(row.listed, result), row.wanted);
    EXPECT_EQ(kinds(result.warnings), row.warnings);
    EXPECT_TRUE(result.faults.empty());
    EXPECT_EQ(result.pattern, "s{}.npy");
  }
  const NameOrder result = order_list(by_string, Order::automatic);
  EXPECT_NE(result.warnings[0].message.find("s2.npy before s10.npy"), std::string::npos) << result.warnings[0].message;
}

TEST(Names, AListMayHaveHolesAndSeveralPatterns) {
  const NameOrder holes = order_list(Names{"s3.npy", "s7.npy"}, Order::automatic);
  EXPECT_TRUE(holes.faults.empty());
  EXPECT_EQ(kinds(holes.warnings), Names{"names.hole"});
  const NameOrder mixed = order_list(Names{"b.npy", "a.npy"}, Order::automatic);
  EXPECT_TRUE(mixed.faults.empty() && mixed.warnings.empty() && mixed.pattern.empty());
  EXPECT_EQ(mixed.order, (std::vector<std::size_t>{0, 1}));
}

/// Any names of one pattern, shuffled: the order is that of their numbers, holes are counted exactly.
TEST(Names, PropertyRandomNumberings) {
  SCOPED_TRACE(test::seed_note());
  auto random = test::generator();
  for (int round = 0; round < 300; ++round) {
    const auto width = static_cast<std::size_t>(test::pick(random, 1, 6));
    const std::int64_t count = test::pick(random, 2, 200);
    const std::int64_t first = test::pick(random, 0, 1) * test::pick(random, 1, 5000);
    Names names = numbered("a1_", "_b.npy", first, count, width);
    const Names all = names;
    std::erase_if(names, [&](const std::string& name) {
      return name != all.front() && name != all.back() && test::pick(random, 0, 9) == 0;
    });
    const Names wanted = names;
    std::ranges::shuffle(names, random);
    const NameOrder result = told(names, {.any_first_index = true});
    EXPECT_EQ(ordered(names, result), wanted);
    EXPECT_TRUE(result.warnings.empty());
    const auto missing = static_cast<std::int64_t>(all.size() - wanted.size());
    ASSERT_EQ(result.faults.size(), missing == 0 ? 0U : 1U);
    if (missing > 0) {
      EXPECT_EQ(result.faults[0].got, Value(count - missing));
    }
  }
}

}  // namespace
}  // namespace loadstone::loader
