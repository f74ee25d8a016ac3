#include "core/option_words.hpp"

#include "core/json_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace loadstone {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> told(const Remedy& remedy) {
  return {remedy.text(Audience::cpp), remedy.text(Audience::python), remedy.text(Audience::command)};
}

std::vector<std::string> three(const char* cpp, const char* python, const char* command) {
  return {cpp, python, command};
}

TEST(OptionWords, EachAudienceReadsItsOwn) {
  EXPECT_EQ(
      told("Set " + named(Option::budget, 64 << 20) + " or more."),
      three("Set budget_bytes = 67108864 or more.", "Set budget=\"64MiB\" or more.", "Set --budget 64MiB or more."));
  EXPECT_EQ(told(named(Option::casting, "checked")),
            three("casting = Casting::checked", "casting=\"checked\"", "--casting checked"));
  EXPECT_EQ(told(named(Option::io_direct, "off")),
            three("io.direct = \"off\"", "io_direct=\"off\"", "--io-direct off"));
  EXPECT_EQ(told(named(Option::shape, "4, 8")), three("shape = {4, 8}", "shape=(4, 8)", "--shape 4,8"));
  EXPECT_EQ(told(named(Option::first_index, 1)), three("first_index = 1", "first_index=1", "--first-index 1"));
  EXPECT_EQ(told(named(Option::force)), three("force = true", "force=True", "--force"));
}

TEST(OptionWords, AnOptionWithoutAValueIsItsName) {
  EXPECT_EQ(told("Raise " + named(Option::deadline) + "."),
            three("Raise deadline_s.", "Raise deadline_s.", "Raise --deadline."));
}

TEST(OptionWords, ACallIsAPhrase) {
  EXPECT_EQ(told(named(Option::record, "run42")),
            three("verify({\"run42\"}, {.write_manifest = true})", "loadstone.verify(\"run42\", write_manifest=True)",
                  "loadstone verify --write-manifest run42"));
  EXPECT_EQ(Remedy(named(Option::record, "DIR")).text(Audience::python), "loadstone.verify(DIR, write_manifest=True)");
}

TEST(OptionWords, BytesAreShortWhereNothingIsLost) {
  for (const auto& [bytes, text] : std::vector<std::pair<std::int64_t, std::string>>{
           {1, "1"}, {1025, "1025"}, {1024, "1KiB"}, {3 << 20, "3MiB"}, {std::int64_t{5} << 40, "5120GiB"}}) {
    EXPECT_EQ(Remedy(named(Option::budget, bytes)).text(Audience::command), "--budget " + text);
  }
  EXPECT_EQ(Remedy(named(Option::budget, 1025)).text(Audience::python), "budget=1025");
}

TEST(OptionWords, RowsStandInTheOrderOfTheEnumerationAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < option_words().size(); ++i) {
    const OptionWords& words = option_words()[i];
    EXPECT_EQ(static_cast<std::size_t>(words.option), i) << words.name;
    EXPECT_TRUE(names.insert(words.name).second) << words.name;
    EXPECT_EQ(option_of(words.name), words.option);
    EXPECT_EQ(words.form == OptionWords::Form::word, !words.enumeration.empty()) << words.name;
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Option::record) + 1);
  EXPECT_FALSE(option_of("no.such"));
}

TEST(Remedy, IsASentenceToWhoeverNamesNoOption) {
  const Remedy remedy = "Rewrite this shard.";
  EXPECT_EQ(told(remedy), three("Rewrite this shard.", "Rewrite this shard.", "Rewrite this shard."));
  EXPECT_TRUE(Remedy().empty());
  EXPECT_FALSE(remedy.empty());
}

TEST(Remedy, TravelsUnspelled) {
  const Remedy remedy = "Set " + named(Option::budget, 7) + ".";
  EXPECT_EQ(Remedy(remedy.marked()), remedy);
  EXPECT_NE(Remedy(remedy.text()), remedy);
}

TEST(Remedy, WhatIsCutOrUnknownIsStillText) {
  const std::string whole = "Set " + named(Option::budget, 65536) + " or more.";
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    for (const std::string& text : told(whole.substr(0, n))) EXPECT_THAT(text, Not(HasSubstr("\x01"))) << n;
  }
  EXPECT_EQ(Remedy("a\x01zzz\x02z\x03z").text(), "azzzz");
}

TEST(Remedy, ADescriptionAndJsonAreForOneAudience) {
  const Fault fault{.code = Code::budget,
                    .kind = "budget",
                    .message = "too small",
                    .remedy = "Set " + named(Option::budget, 4096) + " or more."};
  EXPECT_STREQ(Error(fault).what(), "too small. Set budget_bytes = 4096 or more. [budget]");
  EXPECT_EQ(describe(failure_of(fault), Audience::python), "too small. Set budget=\"4KiB\" or more. [budget]");
  EXPECT_THAT(describe(failure_of({fault, fault}), Audience::command), HasSubstr("--budget 4KiB"));
  JsonWriter json;
  write_fault(json, fault, Audience::command);
  EXPECT_THAT(json.take(), HasSubstr("\"remedy\":\"Set --budget 4KiB or more.\""));
}

}  // namespace
}  // namespace loadstone
