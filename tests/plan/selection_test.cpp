#include "plan/selection.hpp"

#include <loadstone/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadstone {
namespace {

using plan::resolve_selection;
using plan::SelectedAxis;
using testing::ElementsAre;
using testing::HasSubstr;

Slice slice(std::optional<std::int64_t> begin, std::optional<std::int64_t> end, std::int64_t step = 1) {
  return {begin, end, step};
}

TEST(ParseSelection, TakesIntegersAndSlices_DS53) {
  EXPECT_EQ(parse_selection("1::7,-2"), (Selection{slice(1, {}, 7), -2}));
  EXPECT_EQ(parse_selection(":,0,:"), (Selection{slice({}, {}), 0, slice({}, {})}));
  EXPECT_EQ(parse_selection("3:58:2"), (Selection{slice(3, 58, 2)}));
  EXPECT_EQ(parse_selection("-5:"), (Selection{slice(-5, {})}));
  EXPECT_EQ(parse_selection("::"), (Selection{slice({}, {})}));
  EXPECT_EQ(parse_selection(" 1 : 4 , 2 "), (Selection{slice(1, 4), 2}));
}

TEST(ParseSelection, RefusesEverythingElse_DS53) {
  for (const char* const text : {"", ",", "1,", "a", "1.5", "::0", "::-1", "1:2:3:4", "1 2", "+1", "0x1", "1:b", "..",
                                 "....", "1...", "None", "[1]", "99999999999999999999"}) {
    try {
      parse_selection(text);
      ADD_FAILURE() << "\"" << text << "\" was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_argument) << text;
      EXPECT_EQ(error.faults()[0].kind, "select") << text;
    }
  }
}

TEST(ResolveSelection, MeansWhatNumPyMeans_DS53) {
  struct Case {
    const char* text;
    SelectedAxis wanted;
  };
  for (const Case& c : {Case{":", {0, 1, 10, false}}, Case{"2:40", {2, 1, 8, false}}, Case{"-5:", {5, 1, 5, false}},
                        Case{"::3", {0, 3, 4, false}}, Case{"1::3", {1, 3, 3, false}}, Case{"-1", {9, 1, 1, true}},
                        Case{"-10", {0, 1, 1, true}}, Case{"5", {5, 1, 1, true}}, Case{"7:3", {7, 1, 0, false}},
                        Case{"70:90", {10, 1, 0, false}}, Case{"-99:2", {0, 1, 2, false}},
                        Case{":-99", {0, 1, 0, false}}, Case{":-1", {0, 1, 9, false}}, Case{"4:5:9", {4, 1, 1, false}},
                        Case{"::9223372036854775807", {0, 1, 1, false}}}) {
    const auto resolved = resolve_selection({10}, {}, parse_selection(c.text));
    ASSERT_TRUE(resolved.ok()) << c.text;
    EXPECT_THAT(resolved->axes, ElementsAre(c.wanted)) << c.text;
  }
}

TEST(ParseSelection, TakesAnEllipsis) {
  EXPECT_EQ(parse_selection("..."), (Selection{Ellipsis{}}));
  EXPECT_EQ(parse_selection("1, ...,2:"), (Selection{1, Ellipsis{}, slice(2, {})}));
}

TEST(ResolveSelection, AnEllipsisIsTheAxesThatAreLeft) {
  const auto shape_of = [](const char* text) {
    const auto resolved = resolve_selection({10, 7, 3}, {}, parse_selection(text));
    EXPECT_TRUE(resolved.ok()) << text;
    return resolved->shape();
  };
  EXPECT_EQ(shape_of("..."), (Shape{10, 7, 3}));
  EXPECT_EQ(shape_of("...,0"), (Shape{10, 7}));
  EXPECT_EQ(shape_of("0,..."), (Shape{7, 3}));
  EXPECT_EQ(shape_of("2:4,...,1"), (Shape{2, 7}));
  EXPECT_EQ(shape_of("0,1,...,2"), Shape{}) << "none is left";
  EXPECT_TRUE(resolve_selection({}, {}, {Ellipsis{}}).ok());
  EXPECT_EQ(resolve_selection({10, 7}, {}, parse_selection("...,0,...")).status().failure().first().kind, "select");
  EXPECT_EQ(resolve_selection({10}, {}, parse_selection("0,...,1")).status().failure().first().kind, "select");
  EXPECT_EQ(resolve_selection({10, 7}, {}, parse_selection("...,7")).status().failure().first().got,
            Value(std::int64_t{7}));
}

TEST(ResolveSelection, DropsIntegersAndFillsUp_DS53) {
  const auto resolved = resolve_selection({10, 7, 3}, {}, parse_selection("::2,-1"));
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->shape(), (Shape{5, 3}));
  EXPECT_EQ(resolved->full_shape(), (Shape{5, 1, 3}));
}

TEST(ResolveSelection, RowsAreASliceOfTheStackAxis_DS53) {
  const auto resolved = resolve_selection({61, 7}, slice(9, 29), {});
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->axes[0], (SelectedAxis{9, 1, 20, false}));
  EXPECT_EQ(resolved->shape(), (Shape{20, 7}));
}

TEST(ResolveSelection, RefusesAllThatIsWrongAtOnce_DS53) {
  const auto resolved = resolve_selection({10, 3, 0}, {}, {10, slice({}, {}, -1), 0});
  ASSERT_FALSE(resolved.ok());
  const auto& faults = resolved.status().failure().faults;
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(faults[0].got, Value(std::int64_t{10}));
  EXPECT_THAT(faults[0].message, HasSubstr("index 10 is out of range for axis 0 with an extent of 10"));
  EXPECT_THAT(faults[1].message, HasSubstr("axis 1 has a step of -1"));
  EXPECT_THAT(faults[2].remedy, HasSubstr("slice"));
  EXPECT_EQ(resolve_selection({10}, {}, {-11}).status().code(), Code::bad_argument);
}

TEST(ResolveSelection, RefusesTooManyEntriesAndBothForms_DS53) {
  EXPECT_EQ(resolve_selection({10}, {}, {1, 2}).status().failure().first().kind, "select");
  EXPECT_EQ(resolve_selection({10}, slice(0, 1), {1}).status().failure().first().kind, "rows");
  EXPECT_EQ(resolve_selection({}, slice(0, 1), {}).status().failure().first().kind, "rows");
  EXPECT_TRUE(resolve_selection({}, {}, {}).ok());
}

}  // namespace
}  // namespace loadstone
