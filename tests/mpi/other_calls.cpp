// Ranks that call other things than their peers, so that the recorder has something to find. None of it blocks.
#include <mpi.h>

#include <string_view>

namespace {

// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): what differs stays under way, and the check
// does not know MPI_Ibarrier

/// Only the last rank calls: as from a destructor of an object that it alone has.
void hidden(MPI_Comm comm, int rank, int size) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == size - 1) MPI_Ibarrier(comm, &request);
}

/// Rank 0 calls the same as the others in another order.
void swapped(MPI_Comm comm, int rank) {
  static char bytes[2] = {};
  for (const int i : {0, 1}) {
    const int root = rank == 0 ? i : 1 - i;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&bytes[root], 1, MPI_BYTE, root, comm, &request);
  }
}

void same(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const std::string_view kind = argv[argc - 1];
  if (kind == "hidden") {
    hidden(comm, rank, size);
  } else if (kind == "swapped") {
    swapped(comm, rank);
  } else {
    same(comm);
  }
  return MPI_Finalize();
}
