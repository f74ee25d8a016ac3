// What only shows through the real dlopen: errors that cross it, handles of mpi4py, both stacks in one process.
#include "comm/modules.hpp"
#include "mpi/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace loadstone::test {
namespace {

using comm::Launcher;

const comm::MpiModule& module() {
  static const comm::MpiModule* const instance = value_or_throw(comm::load_mpi_module(comm::launcher_of_environment()));
  return *instance;
}

TEST(Modules, TheLauncherIsKnownByItsEnvironment) {
  EXPECT_NE(comm::launcher_of_environment(), Launcher::none);
  EXPECT_EQ(comm::to_string(comm::launcher_of_environment()), module().stack);
}

TEST(Modules, TheWorldIsOneObject) {
  if (comm::launched_ranks() < 2) return;
  EXPECT_EQ(world_communicator(), world()) << "kept with MPI_COMM_WORLD: the second call is local";
  EXPECT_NE(world()->description().find("mpi ("), std::string::npos);
}

TEST(Modules, AnErrorThrownInAModuleIsCaughtHereByItsType) {
  bool caught = false;
  try {
    module().wrap("", 1);
  } catch (const Error& error) {
    caught = true;
    EXPECT_EQ(error.code(), Code::comm);
    EXPECT_EQ(error.failure().first().kind, "comm.handle");
    EXPECT_NE(std::string(error.what()).find("handle of 1 bytes"), std::string::npos);
  }
  EXPECT_TRUE(caught);
}

TEST(Modules, I9_AHandleOfAnotherLibraryIsNeverCast) {
  const char handle[8] = {};
  const auto kind_of = [&](std::string_view version) {
    const auto wrapped = comm::wrap_mpi4py(version, handle, sizeof handle);
    return wrapped.ok() ? std::string("wrapped") : wrapped.status().failure().first().kind;
  };
  EXPECT_EQ(kind_of("Intel(R) MPI Library 2021"), "comm.stack");
  EXPECT_EQ(kind_of("Open MPI v9.9.9, of somebody else"), "comm.stack");
  EXPECT_EQ(kind_of("MPICH Version:\t9.9.9\nmore"), "comm.stack");
}

TEST(Modules, I10_AnotherStackThanTheLaunchersIsAnErrorThatNamesBoth) {
  if (comm::launched_ranks() < 2) return;
  const bool ours_is_openmpi = comm::launcher_of_environment() == Launcher::openmpi;
  const auto wrapped = comm::wrap_mpi4py(ours_is_openmpi ? "MPICH Version: 4.0.2" : "Open MPI v4.1.4", "", 1);
  ASSERT_FALSE(wrapped.ok());
  const Fault& fault = wrapped.status().failure().first();
  EXPECT_EQ(fault.code, Code::comm);
  for (const char* word : {ours_is_openmpi ? "MPICH" : "Open MPI", ours_is_openmpi ? "openmpi" : "mpich"})
    EXPECT_NE(fault.message.find(word), std::string::npos) << fault.message;
  EXPECT_FALSE(fault.remedy.empty());
}

TEST(Modules, TheTableShowsEveryCommunicator) {
  const auto rows = communicators();
  const auto row_of = [&](std::string_view name) {
    return *std::find_if(rows.begin(), rows.end(), [&](const Capability& row) { return row.name == name; });
  };
  for (const char* name : {"self", "threads"}) EXPECT_TRUE(row_of(name).usable);
  const Capability ours = row_of(module().stack);
  EXPECT_TRUE(ours.built && ours.usable) << ours.reason;
  EXPECT_EQ(ours.reason, module().library_version());
}

TEST(Modules, BothStacksLoadSideBySide) {
  for (const Launcher stack : {Launcher::openmpi, Launcher::mpich}) {
    const auto loaded = comm::load_mpi_module(stack);
    if (loaded.ok()) {
      EXPECT_EQ(comm::to_string(stack), (*loaded)->stack);
    } else {
      EXPECT_EQ(loaded.status().failure().first().kind, "comm.module");
    }
  }
  EXPECT_EQ(sum_of(*world(), 1), world()->size());
}

}  // namespace
}  // namespace loadstone::test
