// Launchers and modules in a plain process; tests/mpi covers them under real launchers.
#include "comm/modules.hpp"
#include "core/status.hpp"

#include <loadstone/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace loadstone::comm {
namespace {

/// The environment that a launcher would set, for one test.
class LauncherEnvironment : public testing::Test {
 protected:
  LauncherEnvironment() { clear(); }
  ~LauncherEnvironment() override { clear(); }
  LauncherEnvironment(const LauncherEnvironment&) = delete;
  LauncherEnvironment& operator=(const LauncherEnvironment&) = delete;
  static void set(const char* name, const char* value) { setenv(name, value, 1); }

 private:
  static void clear() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) unsetenv(name);
  }
};

TEST_F(LauncherEnvironment, TellsTheLauncher) {
  struct Row {
    const char* name;
    const char* value;
    Launcher launcher;
    int ranks;
  };
  for (const Row& row :
       {Row{"OMPI_COMM_WORLD_SIZE", "4", Launcher::openmpi, 4}, Row{"PMI_SIZE", "3", Launcher::mpich, 3},
        Row{"PMI_SIZE", "1", Launcher::mpich, 1}, Row{"PMI_SIZE", "", Launcher::none, 1},
        Row{"PMI_SIZE", "two", Launcher::none, 1}, Row{"PMI_SIZE", "0", Launcher::none, 1},
        Row{"PMI_SIZE", "99999999999", Launcher::none, 1}, Row{"OTHER", "4", Launcher::none, 1}}) {
    set(row.name, row.value);
    EXPECT_EQ(launcher_of_environment(), row.launcher) << row.name << "=" << row.value;
    EXPECT_EQ(launched_ranks(), row.ranks) << row.name << "=" << row.value;
    unsetenv(row.name);
  }
}

TEST_F(LauncherEnvironment, WithoutALauncherTheWorldIsThisProcess) {
  EXPECT_EQ(world_communicator()->description(), "self");
  set("PMI_SIZE", "1");
  EXPECT_EQ(world_communicator()->size(), 1);
  finalize_world();
}

TEST_F(LauncherEnvironment, I10_Mpi4pyOfAnotherStackThanTheLaunchersIsRefused) {
  set("PMI_SIZE", "3");
  const auto wrapped = wrap_mpi4py("Open MPI v4.1.4, package: Debian OpenMPI", "", 8);
  ASSERT_FALSE(wrapped.ok());
  EXPECT_EQ(wrapped.status().code(), Code::comm);
  const std::string text = describe(wrapped.status().failure());
  for (const char* word : {"Open MPI v4.1.4", "mpich", "3 ranks", "Import loadstone before mpi4py"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST_F(LauncherEnvironment, ALibraryThatIsNoKnownMpiIsRefused) {
  EXPECT_EQ(wrap_mpi4py("Intel(R) MPI Library 2021.9", "", 4).status().code(), Code::comm);
  EXPECT_EQ(wrap_mpi4py("", "", 0).status().code(), Code::comm);
}

TEST(Modules, ModulesAreLookedForBesideThisProgram) {
  const auto folders = module_folders();
  ASSERT_FALSE(folders.empty());
  for (const auto& folder : folders) EXPECT_TRUE(folder.is_absolute()) << folder;
  EXPECT_TRUE(find_beside("loadstone_mpi_nobody.so").empty());
}

}  // namespace
}  // namespace loadstone::comm
