// The module of one MPI stack, built from interop/mpi.hpp and loaded at run time.
#include "comm/modules.hpp"

#include <loadstone/interop/mpi.hpp>

#include <cstring>

namespace {

std::shared_ptr<loadstone::Communicator> wrap(const void* handle, std::size_t handle_bytes) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (handle_bytes != sizeof comm) {
    loadstone::mpi_detail::fail(
        loadstone::Code::comm, "comm.handle",
        "a handle of " + std::to_string(handle_bytes) + " bytes is none of " + loadstone::mpi_library_version());
  }
  std::memcpy(&comm, handle, sizeof comm);
  return loadstone::mpi_communicator(comm);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const loadstone::comm::MpiModule* loadstone_mpi_module() {
  static constexpr loadstone::comm::MpiModule kModule{loadstone::comm::kMpiModuleAbi, LOADSTONE_MPI_STACK,
                                                      loadstone::mpi_world,           wrap,
                                                      loadstone::mpi_library_version, loadstone::mpi_finalize_if_ours};
  return &kModule;
}
