#include "cli/report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/dataset_report.hpp"

namespace loadstone::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Fault fault(const std::string& path, const std::string& kind = "shard.truncated") {
  Fault fault;
  fault.code = Code::truncated;
  fault.kind = kind;
  fault.path = path;
  fault.message = "the file is short by 1 byte.";
  fault.remedy = "Rewrite this shard.";
  return fault;
}

Outcome failed(std::vector<Fault> faults) {
  Outcome outcome;
  outcome.exit_code = 3;
  outcome.failure.emplace();
  outcome.failure->total_faults = std::ssize(faults);
  outcome.failure->faults = std::move(faults);
  return outcome;
}

TEST(Report, ADatasetWithoutAPatternIsNamedByItsEnds) {
  Dataset dataset;
  for (const char* const path : {"d/b.npy", "d/c.npy", "d/a.npy"}) dataset.files.push_back({path, "", "", {}});
  EXPECT_EQ(location_of(dataset), "d/b.npy ... d/a.npy");
  dataset.pattern = "shard_{:04}.npy";
  EXPECT_EQ(location_of(dataset), "d/shard_{:04}.npy");
}

TEST(Report, JsonHasTheFieldsOfEveryCommand) {
  Outcome outcome;
  outcome.report.parts.emplace_back("dataset", R"({"shape":[2]})");
  EXPECT_EQ(json_document("inspect", outcome),
            "{\"loadstone\":1,\"command\":\"inspect\",\"ok\":true,\"warnings\":[],\"faults\":[],"
            "\"dataset\":{\"shape\":[2]}}\n");
}

TEST(Report, JsonOfAFailureIsNotOkAndHasAllFaults) {
  const std::vector<Fault> faults(400, fault("x.npy"));
  const std::string text = json_document("load", failed(faults));
  EXPECT_THAT(text, HasSubstr("\"ok\":false"));
  std::size_t found = 0;
  for (std::size_t at = text.find("shard.truncated"); at != std::string::npos;
       at = text.find("shard.truncated", at + 1)) {
    ++found;
  }
  EXPECT_EQ(found, 400U);
}

TEST(Report, AFaultIsOneLineWithItsRemedy) {
  EXPECT_EQ(fault_line(fault("d/x.npy"), "error"),
            "error: d/x.npy: the file is short by 1 byte. Rewrite this shard. [shard.truncated]");
}

TEST(Report, E6BytesFromFilesAreEscaped) {
  Fault hostile = fault("evil\x1b[31m\n.npy");
  hostile.message = "the type is '\x1b[31m\x07'.";
  const std::string line = fault_line(hostile, "error");
  EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  EXPECT_THAT(line, Not(HasSubstr("\x07")));
  EXPECT_THAT(line, Not(HasSubstr("\n")));
}

TEST(Report, DS17TextListsTwentyOfAKind) {
  std::vector<Fault> faults;
  for (int i = 0; i < 45; ++i) faults.push_back(fault(fmt::format("shard_{:04}.npy", i)));
  for (int i = 0; i < 3; ++i) faults.push_back(fault(fmt::format("other_{}.npy", i), "shard.dtype"));
  const std::string text = fault_text(failed(faults), false);
  EXPECT_THAT(text, HasSubstr("shard_0019.npy"));
  EXPECT_THAT(text, Not(HasSubstr("shard_0020.npy")));
  EXPECT_THAT(text, HasSubstr("+25 more shard.truncated"));
  EXPECT_THAT(text, HasSubstr("other_2.npy"));
  EXPECT_THAT(text, HasSubstr("48 faults: 45 shard.truncated, 3 shard.dtype\n"));
}

TEST(Report, ASingleFaultNeedsNoTotals) {
  EXPECT_EQ(fault_text(failed({fault("x.npy")}), false), fault_line(fault("x.npy"), "error") + "\n");
}

TEST(Report, FaultsThatWereNotKeptAreCounted) {
  Outcome outcome = failed({fault("a"), fault("b")});
  outcome.failure->total_faults = 20'002;
  EXPECT_THAT(fault_text(outcome, false), HasSubstr("20,002 faults: 2 shard.truncated, 20,000 not kept"));
}

TEST(Report, QuietDropsWarningsButNoFault) {
  Outcome outcome = failed({fault("x.npy")});
  outcome.report.warnings.push_back(fault("y.npy", "shard.trailing"));
  EXPECT_THAT(fault_text(outcome, false), HasSubstr("warning: y.npy"));
  EXPECT_THAT(fault_text(outcome, true), Not(HasSubstr("y.npy")));
  EXPECT_THAT(fault_text(outcome, true), HasSubstr("error: x.npy"));
}

TEST(Report, TheRankThatFailedIsNamed) {
  Outcome outcome = failed({fault("x.npy")});
  outcome.failure->rank = 2;
  outcome.failure->phase = "read";
  outcome.failure->notes = {"rank 3: no space"};
  const std::string text = fault_text(outcome, false);
  EXPECT_THAT(text, HasSubstr("where: rank 2, phase read\n"));
  EXPECT_THAT(text, HasSubstr("note: rank 3: no space\n"));
}

}  // namespace
}  // namespace loadstone::cli
