// The end of MPI: what is still held afterwards fails by name and touches nothing. No GoogleTest: it needs MPI's end.
#include "comm/groups.hpp"

#include <loadstone/interop/mpi.hpp>

#include <cstdio>

int main() {
  using namespace loadstone;
  const auto world = mpi_world();
  const auto copy = world->duplicate();
  std::vector<std::byte> bytes(4);
  auto waiting = copy->irecv(bytes, world->rank(), 0);
  test::finish(world->iallreduce({}, Reduce::max));
  waiting.reset();
  MPI_Finalize();  // a user's; ours at exit must see it
  bool refused = false;
  try {
    world->isend(bytes, 0, 0);
  } catch (const Error& error) {
    refused = error.code() == Code::comm;
  }
  if (!refused || world->size() < 1) std::fputs("a call after MPI_Finalize was not refused\n", stderr);
  return refused ? 0 : 1;
}
