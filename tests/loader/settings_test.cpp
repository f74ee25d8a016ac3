// Settings: options over environment over defaults (io.md section 10, IO-30, IO-41).
#include "loader/settings.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace loadstone::loader {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
const Machine kMachine{.available_bytes = 64 * 1024 * kMiB, .cores = 8};

struct Asked {
  IoOptions io;
  std::optional<std::int64_t> budget;
  double deadline_s = 0;
  std::optional<IdentityRule> identity;
  std::vector<std::string> roots;
  int ranks = 1;
};

Result<Settings> settled(const Environment& environment, const Asked& asked = {}, const Machine& machine = kMachine) {
  return settle(asked.io, asked.budget, asked.deadline_s, asked.identity, asked.roots, asked.ranks, environment,
                machine);
}

TEST(Settings, OptionsWinOverEnvironmentOverDefaults) {
  const Environment environment = {
      {"LOADSTONE_IO_BACKEND", "posix"}, {"LOADSTONE_BUDGET", "64MiB"}, {"LOADSTONE_DEADLINE", "7.5"}};
  const auto plain = settled({});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->engine.backend, "auto");
  EXPECT_EQ(plain->deadline_s, 300);
  const auto by_environment = settled(environment);
  ASSERT_TRUE(by_environment.ok());
  EXPECT_EQ(by_environment->engine.backend, "posix");
  EXPECT_EQ(by_environment->budget_bytes, 64 * kMiB);
  EXPECT_FALSE(by_environment->budget_guessed);
  EXPECT_EQ(by_environment->deadline_s, 7.5);
  Asked asked;
  asked.io.backend = "uring";
  asked.budget = 1;
  asked.deadline_s = 9;
  const auto by_option = settled(environment, asked);
  ASSERT_TRUE(by_option.ok());
  EXPECT_EQ(by_option->engine.backend, "uring");
  EXPECT_EQ(by_option->budget_bytes, 1);
  EXPECT_EQ(by_option->deadline_s, 9);
}

TEST(Settings, IO41AWrongValueNamesTheVariableAndTheRightOnes) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"IO_BACKEND", "usb"},     {"IO_DIRECT", "perhaps"}, {"IO_MAPPED", "on"},    {"BUDGET", "lots"},
           {"BUDGET", "0"},           {"IO_DEPTH", "0"},        {"IO_DEPTH", "513"},    {"IO_DEPTH", "8x"},
           {"IO_REQUEST", "1"},       {"IO_REQUEST", "65MiB"},  {"IO_THREADS", "65"},   {"IO_HUGE_PAGES", "yes"},
           {"IO_PAGE_CACHE", "drop"}, {"IO_LANDING", "up"},     {"IO_OPEN_FILES", "1"}, {"IO_FS_CLASS", "/data=disk"},
           {"IO_RETRIES", "-1"},      {"DEADLINE", "never"},    {"DEADLINE", "0.5"},    {"DEADLINE", "86401"},
           {"DEADLINE", "nan"},       {"IDENTITY", "loose"},    {"CPU", "mmx"}}) {
    const auto result = settled({{"LOADSTONE_" + name, value}});
    ASSERT_FALSE(result.ok()) << name << "=" << value;
    ASSERT_EQ(result.status().failure().faults.size(), 1U) << name;
    const Fault& fault = result.status().failure().first();
    EXPECT_EQ(fault.code, Code::bad_argument);
    EXPECT_EQ(fault.kind, "environment");
    EXPECT_NE(fault.message.find("LOADSTONE_" + name), std::string::npos) << fault.message;
    EXPECT_FALSE(fault.remedy.empty());
  }
}

TEST(Settings, AWrongVariableIsAnErrorEvenWhereAnOptionHidesIt) {
  Asked asked;
  asked.io.backend = "posix";
  EXPECT_FALSE(settled({{"LOADSTONE_IO_BACKEND", "usb"}}, asked).ok());
}

TEST(Settings, AWrongOptionIsNamedAsAnOption) {
  Asked asked;
  asked.io.direct = "perhaps";
  asked.budget = 0;
  const auto result = settled({}, asked);
  ASSERT_FALSE(result.ok());
  ASSERT_EQ(result.status().failure().faults.size(), 2U);
  EXPECT_EQ(result.status().failure().faults[0].item, "budget");
  EXPECT_EQ(result.status().failure().faults[1].item, "io.direct");
}

TEST(Settings, IO30TheDefaultBudgetIsAShareOfTheMemoryAtMost512MiB) {
  EXPECT_EQ(settled({})->budget_bytes, 512 * kMiB);
  Asked asked;
  asked.ranks = 4;
  const auto result = settled({}, asked, {.available_bytes = 1024 * kMiB, .cores = 8});
  EXPECT_EQ(result->budget_bytes, 16 * kMiB);
  EXPECT_TRUE(result->budget_guessed);
}

TEST(Settings, ThreadsAreTheCoresOverTheRanksOfTheNode) {
  Asked asked;
  asked.ranks = 3;
  EXPECT_EQ(settled({}, asked)->engine.threads, 2);
  asked.ranks = 64;
  EXPECT_EQ(settled({}, asked)->engine.threads, 1);
  EXPECT_EQ(settled({}, {}, {.available_bytes = kMiB, .cores = 64})->engine.threads, 16);
}

TEST(Settings, PrintedWithTheirOrigin) {
  Asked asked;
  asked.io.depth = 16;
  const auto result = settled({{"LOADSTONE_IO_DIRECT", "off"}, {"LOADSTONE_ROOTS", "/a:/b"}}, asked);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->roots, (std::vector<std::string>{"/a", "/b"}));
  const auto origin = [&](const std::string& name) {
    for (const Setting& setting : result->printed) {
      if (setting.name == name) return setting.value + " " + setting.origin;
    }
    return std::string("absent");
  };
  EXPECT_EQ(origin("io.depth"), "16 option");
  EXPECT_EQ(origin("io.direct"), "off environment");
  EXPECT_EQ(origin("io.backend"), "auto default");
  EXPECT_EQ(origin("roots"), "/a:/b environment");
  EXPECT_EQ(result->printed.size(), known_variables().size());
}

TEST(Settings, IO32CopyKernelsAreForcedByTheEnvironmentAlone) {
  const auto best = settled({});
  ASSERT_TRUE(best.ok());
  EXPECT_EQ(best->engine.kernels, &best_kernels());
  const auto forced = settled({{"LOADSTONE_CPU", "generic"}});
  ASSERT_TRUE(forced.ok());
  EXPECT_EQ(forced->engine.kernels->name, "generic");
  const auto wrong = settled({{"LOADSTONE_CPU", "mmx"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(std::get<std::string>(wrong.status().failure().first().wanted).find("generic"), std::string::npos);
}

TEST(Environment, IO41AnUnknownNameIsAWarningWithTheNearest) {
  const auto warnings = unknown_variables({{"LOADSTONE_IO_DIREKT", "on"},
                                           {"LOADSTONE_IO_DIRECT", "on"},
                                           {"LOADSTONE_ACCEPT_SEED", "1"},
                                           {"LOADSTONE_TEST_SEED", "1"},
                                           {"LOADSTONE_CLI", "x"}});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].kind, "environment.unknown");
  EXPECT_NE(warnings[0].message.find("LOADSTONE_IO_DIREKT"), std::string::npos);
  EXPECT_NE(warnings[0].remedy.text().find("LOADSTONE_IO_DIRECT"), std::string::npos);
}

TEST(Machine, ReadsMemAvailable) {
  EXPECT_EQ(meminfo_bytes("MemTotal:  100 kB\nMemAvailable:     64 kB\n", "MemAvailable"), 65536);
  EXPECT_FALSE(meminfo_bytes("MemTotal: 100 kB\n", "MemAvailable"));
  EXPECT_GT(this_machine().available_bytes, 0);
}

TEST(Machine, ATileThatItCannotHoldIsRefused) {
  const Machine machine{.available_bytes = kMiB, .memory_bytes = 64 * kMiB, .group_bytes = 24 * kMiB, .cores = 8};
  Asked asked;
  const auto alone = settled({}, asked, machine);
  ASSERT_TRUE(alone.ok());
  EXPECT_TRUE(fits_machine(24 * kMiB, *alone).ok());
  EXPECT_FALSE(fits_machine(24 * kMiB + 1, *alone).ok()) << "the control group's limit";
  asked.ranks = 4;
  const auto four = settled({}, asked, machine);
  ASSERT_TRUE(four.ok());
  EXPECT_TRUE(fits_machine(16 * kMiB, *four).ok());
  const Status refused = fits_machine(16 * kMiB + 1, *four);
  ASSERT_FALSE(refused.ok()) << "the machine's, shared by its ranks";
  EXPECT_EQ(refused.code(), Code::out_of_memory);
  EXPECT_NE(refused.failure().first().message.find("16.0 MiB for each of its 4 ranks"), std::string::npos)
      << refused.failure().first().message;
  EXPECT_LT(this_machine().memory_bytes, std::numeric_limits<std::int64_t>::max());
}

TEST(Machine, TheTightestControlGroupCounts) {
  const test::TempDir mount;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(mount.file(name)).parent_path());
    test::write_file(mount.file(name), text);
  };
  EXPECT_FALSE(cgroup_memory("0::/a/b\n", mount.path().string()).headroom);
  write("a/b/memory.max", "max\n");
  write("a/memory.max", "1000\n");
  write("a/memory.current", "300\n");
  EXPECT_EQ(cgroup_memory("0::/a/b\n", mount.path().string()).headroom, 700);
  write("memory/c/memory.limit_in_bytes", "500\n");
  write("memory/c/memory.usage_in_bytes", "501\n");
  EXPECT_EQ(cgroup_memory("4:cpu:/x\n5:memory:/c\n", mount.path().string()).headroom, 0);
  EXPECT_EQ(cgroup_memory("0::/a/b\n", mount.path().string()).limit, 1000);
}

}  // namespace
}  // namespace loadstone::loader
