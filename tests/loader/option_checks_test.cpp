#include "loader/option_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <functional>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace loadstone::loader {
namespace {

using Items = std::vector<std::string>;

template <class Options>
Items refused(const Options& options) {
  const Status status = check_options(options);
  Items items;
  if (status.ok()) return items;
  for (const Fault& fault : status.failure().faults) {
    EXPECT_EQ(fault.code, Code::bad_argument) << fault.message;
    EXPECT_FALSE(fault.remedy.empty());
    items.push_back(fault.item);
  }
  return items;
}

TEST(OptionChecks, RawShardsAreDescribedOnlyWhereTheyMayBeRaw) {
  OpenOptions options;
  options.trailing_shape = Shape{4};
  options.byteorder = "big";
  options.header_bytes = 0;
  options.allow_tail = true;
  EXPECT_EQ(refused(options), Items{}) << "the files tell what they are";
  options.format = "raw";
  EXPECT_EQ(refused(options), Items{});
  options.format = "npy";
  EXPECT_EQ(refused(options).size(), 4U);
  EXPECT_EQ(refused(OpenOptions{.format = "npy", .allow_tail = true}), Items{"allow_tail"});
}

TEST(OptionChecks, WhatIsSaidOfRawShardsIsRefusedWhereTheyAreNot) {
  const test::TempDir root;
  WriteOptions small;
  small.shape = {4, 2};
  const std::string directory = root.file("d");
  write(directory, small);
  const auto refused_by = [&](const OpenOptions& options) {
    try {
      open({directory}, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_argument);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused_by({.header_bytes = 64}), testing::HasSubstr("is said of raw shards, but these are npy"));
  EXPECT_THAT(refused_by({.byteorder = "big"}), testing::HasSubstr("if they are raw"));
  EXPECT_THAT(refused_by({.allow_tail = true}), testing::HasSubstr("allow_tail"));
  EXPECT_THAT(refused_by({.trailing_shape = Shape{2}}), testing::HasSubstr("trailing_shape"));
  EXPECT_EQ(refused_by({}), "");
}

TEST(OptionChecks, TheOrderGivenHasNoFirstIndex) {
  EXPECT_EQ(refused(OpenOptions{.order = Order::given, .first_index = 0}), Items{"first_index"});
  EXPECT_EQ(refused(OpenOptions{.order = Order::given, .any_first_index = true}), Items{"first_index"});
  EXPECT_EQ(refused(OpenOptions{.order = Order::numeric, .first_index = 1}), Items{});
}

TEST(OptionChecks, AManifestIsNeitherWrittenUnreadNorRequiredBefore) {
  EXPECT_EQ(refused(VerifyOptions{.write_manifest = true, .structure_only = true}), Items{"structure_only"});
  EXPECT_EQ(refused(VerifyOptions{.write_manifest = true, .require_manifest = true}), Items{"require_manifest"});
  EXPECT_EQ(refused(VerifyOptions{.require_manifest = true, .structure_only = true}), Items{});
}

TEST(OptionChecks, VerifySaysSoOnAllRanksAndWritesNothing) {
  const test::TempDir root;
  WriteOptions small;
  small.shape = {4, 2};
  const std::string directory = root.file("d");
  write(directory, small);
  const auto before = test::names_in(directory);
  run_threads(3, [&](const CommPtr& comm) {
    try {
      verify({directory}, {.write_manifest = true, .structure_only = true}, comm);
      ADD_FAILURE() << "was not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_argument);
    }
  });
  EXPECT_EQ(test::names_in(directory), before);
}

TEST(OptionChecks, StrictTakesNamesOfTheEnvironmentThatMeanNothingForFaults) {
  const test::TempDir root;
  const std::string directory = root.file("d");
  write(directory, {.shape = {4, 2}});
  const OpenOptions strict{.strict = true};
  open({directory}, strict);
  ::setenv("LOADSTONE_IO_DIREKT", "on", 1);
  EXPECT_EQ(open({directory}).shards.size(), 1U);
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { open({directory}, strict); }, [&] { load({directory}, {.open = strict}); },
           [&] { verify({directory}, {.open = strict}); }, [&] { BatchStream({directory}, 1, {.open = strict}); }}) {
    try {
      call();
      ADD_FAILURE() << "was not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.faults().front().kind, "environment.unknown");
      EXPECT_EQ(error.code(), Code::bad_argument);
    }
  }
  ::unsetenv("LOADSTONE_IO_DIREKT");
}

}  // namespace
}  // namespace loadstone::loader
