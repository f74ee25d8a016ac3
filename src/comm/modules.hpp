// The table of communicators, and the MPI modules loaded at run time. The library itself never links MPI.
#pragma once

#include "core/status.hpp"

#include <loadstone/communicator.hpp>
#include <loadstone/load.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::comm {

/// Which stack's launcher started this process, by its environment: OMPI_COMM_WORLD_SIZE, PMI_SIZE (MPICH), else none.
enum class Launcher : std::uint8_t { none, openmpi, mpich };
Launcher launcher_of_environment();
int launched_ranks();
std::string_view to_string(Launcher launcher) noexcept;

/// What a module exports as `extern "C" const MpiModule* loadstone_mpi_module()`. Built once a stack from
/// interop/mpi.hpp; loaded with RTLD_LOCAL and kept loaded.
struct MpiModule {
  const char* abi;    ///< must equal kMpiModuleAbi
  const char* stack;  ///< "openmpi" or "mpich"
  std::shared_ptr<Communicator> (*world)();
  /// A duplicate of the communicator whose handle (of `handle_bytes` bytes) is at `handle`; cached on it, so that a
  /// second call with the same communicator is local and returns the same one. The first call is collective.
  std::shared_ptr<Communicator> (*wrap)(const void* handle, std::size_t handle_bytes);
  std::string (*library_version)();  ///< first line, blanks squeezed
  void (*finalize_if_ours)() noexcept;
};
inline constexpr const char* kMpiModuleAbi = "loadstone-mpi-1";

/// The folders that may hold the modules, best first: beside this library ., loadstone, ../loadstone, ../lib/loadstone,
/// ../../lib/loadstone (a build tree), ../../../loadstone (a Python package).
std::vector<std::filesystem::path> module_folders();
/// The path of a file that was installed or built with the modules (the module itself, libmpi.so.12); empty if none.
std::filesystem::path find_beside(std::string_view file);
/// Loads the module of a stack; once loaded, it stays. Initialises nothing.
Result<const MpiModule*> load_mpi_module(Launcher stack);
/// From mpi4py: version text of its library, address and size of the handle. Compares versions before any cast.
Result<std::shared_ptr<Communicator>> wrap_mpi4py(std::string_view library_version, const void* handle,
                                                  std::size_t handle_bytes);
/// Finalises the MPI that `world_communicator` initialised, now rather than at exit. Nothing otherwise.
void finalize_world() noexcept;

}  // namespace loadstone::comm
