// The world as the command and the Python package get it: through the module of the launcher's stack.
#include "mpi/world.hpp"

#include "comm/modules.hpp"

namespace loadstone::test {

const std::shared_ptr<Communicator>& world() {
  // Not world_communicator(): one rank would be alone without MPI, and here the module is what is tested.
  static const std::shared_ptr<Communicator> instance =
      value_or_throw(comm::load_mpi_module(comm::launcher_of_environment()))->world();
  return instance;
}

}  // namespace loadstone::test
