// The world as a C++ user with an MPI of their own gets it.
#include "mpi/world.hpp"

#include <loadstone/interop/mpi.hpp>

namespace loadstone::test {

const std::shared_ptr<Communicator>& world() {
  static const std::shared_ptr<Communicator> instance = mpi_world();
  return instance;
}

}  // namespace loadstone::test
