// MPI's collective calls, each noted on its way into MPI (T33). Preloaded into a job, this library stands before MPI's
// own names, for modules loaded at run time as well: their names are looked up in the program and what is preloaded
// first. Sent and received messages are not noted: they bind no third rank. Those of windows, files and neighbourhoods
// are not known here; watched_calls.py fails if a module calls one.
#include "mpi/call_recorder.hpp"

#include <numeric>

namespace loadstone::test {
namespace {

CallRecorder& recorder() { return CallRecorder::instance(); }

std::string of_bytes(long long count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return " of " + std::to_string(count * size) + " bytes";
}

/// Of all ranks together: the part of one differs.
std::string of_total_bytes(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return of_bytes(std::accumulate(counts, counts + size, 0LL), type);
}

std::string at_root(int root) { return ", root " + std::to_string(root); }

std::string with_op(MPI_Op op) {
  if (op == MPI_MAX) return ", max";
  if (op == MPI_MIN) return ", min";
  return op == MPI_SUM ? ", sum" : ", another operation";
}

}  // namespace
}  // namespace loadstone::test

using namespace loadstone::test;

#define WORDS(...) __VA_ARGS__
/// One call; `what` tells of it what must be the same on all ranks.
#define NOTED(name, parameters, arguments, what)  \
  extern "C" int MPI_##name parameters {          \
    recorder().note(comm, "MPI_" #name + (what)); \
    return PMPI_##name arguments;                 \
  }
/// The blocking one and the one with a request.
#define NOTED_PAIR(name, iname, parameters, arguments, what) \
  NOTED(name, (WORDS parameters), (WORDS arguments), what)   \
  NOTED(iname, (WORDS parameters, MPI_Request * request), (WORDS arguments, request), what)

NOTED_PAIR(Barrier, Ibarrier, (MPI_Comm comm), (comm), std::string())
NOTED_PAIR(Bcast, Ibcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buffer, count, type, root, comm), of_bytes(count, type) + at_root(root))
NOTED_PAIR(Reduce, Ireduce,
           (const void* sent, void* got, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           (sent, got, count, type, op, root, comm), of_bytes(count, type) + with_op(op) + at_root(root))
NOTED_PAIR(Allreduce, Iallreduce, (const void* sent, void* got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (sent, got, count, type, op, comm), of_bytes(count, type) + with_op(op))
NOTED_PAIR(Scan, Iscan, (const void* sent, void* got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (sent, got, count, type, op, comm), of_bytes(count, type) + with_op(op))
NOTED_PAIR(Exscan, Iexscan, (const void* sent, void* got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (sent, got, count, type, op, comm), of_bytes(count, type) + with_op(op))
NOTED_PAIR(Reduce_scatter, Ireduce_scatter,
           (const void* sent, void* got, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (sent, got, counts, type, op, comm), of_total_bytes(counts, type, comm) + with_op(op))
NOTED_PAIR(Reduce_scatter_block, Ireduce_scatter_block,
           (const void* sent, void* got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (sent, got, count, type, op, comm), of_bytes(count, type) + with_op(op))
NOTED_PAIR(Gather, Igather,
           (const void* sent, int count, MPI_Datatype type, void* got, int got_count, MPI_Datatype got_type, int root,
            MPI_Comm comm),
           (sent, count, type, got, got_count, got_type, root, comm),
           (sent == MPI_IN_PLACE ? of_bytes(got_count, got_type) : of_bytes(count, type)) + at_root(root))
NOTED_PAIR(Scatter, Iscatter,
           (const void* sent, int count, MPI_Datatype type, void* got, int got_count, MPI_Datatype got_type, int root,
            MPI_Comm comm),
           (sent, count, type, got, got_count, got_type, root, comm),
           (got == MPI_IN_PLACE ? of_bytes(count, type) : of_bytes(got_count, got_type)) + at_root(root))
NOTED_PAIR(Gatherv, Igatherv,
           (const void* sent, int count, MPI_Datatype type, void* got, const int counts[], const int starts[],
            MPI_Datatype got_type, int root, MPI_Comm comm),
           (sent, count, type, got, counts, starts, got_type, root, comm), at_root(root))
NOTED_PAIR(Scatterv, Iscatterv,
           (const void* sent, const int counts[], const int starts[], MPI_Datatype type, void* got, int count,
            MPI_Datatype got_type, int root, MPI_Comm comm),
           (sent, counts, starts, type, got, count, got_type, root, comm), at_root(root))
NOTED_PAIR(Allgather, Iallgather,
           (const void* sent, int count, MPI_Datatype type, void* got, int got_count, MPI_Datatype got_type,
            MPI_Comm comm),
           (sent, count, type, got, got_count, got_type, comm), of_bytes(got_count, got_type))
NOTED_PAIR(Allgatherv, Iallgatherv,
           (const void* sent, int count, MPI_Datatype type, void* got, const int counts[], const int starts[],
            MPI_Datatype got_type, MPI_Comm comm),
           (sent, count, type, got, counts, starts, got_type, comm), of_total_bytes(counts, got_type, comm))
NOTED_PAIR(Alltoall, Ialltoall,
           (const void* sent, int count, MPI_Datatype type, void* got, int got_count, MPI_Datatype got_type,
            MPI_Comm comm),
           (sent, count, type, got, got_count, got_type, comm), of_bytes(got_count, got_type))
NOTED_PAIR(Alltoallv, Ialltoallv,
           (const void* sent, const int counts[], const int starts[], MPI_Datatype type, void* got,
            const int got_counts[], const int got_starts[], MPI_Datatype got_type, MPI_Comm comm),
           (sent, counts, starts, type, got, got_counts, got_starts, got_type, comm), std::string())
NOTED_PAIR(Alltoallw, Ialltoallw,
           (const void* sent, const int counts[], const int starts[], const MPI_Datatype types[], void* got,
            const int got_counts[], const int got_starts[], const MPI_Datatype got_types[], MPI_Comm comm),
           (sent, counts, starts, types, got, got_counts, got_starts, got_types, comm), std::string())

/// One that makes a communicator; `part` tells apart those that one call makes.
#define MAKES(name, parameters, arguments, part)                           \
  extern "C" int MPI_##name parameters {                                   \
    const std::string made = recorder().note(comm, "MPI_" #name) + (part); \
    const int result = PMPI_##name arguments;                              \
    if (result == MPI_SUCCESS) recorder().made(*made_comm, made);          \
    return result;                                                         \
  }

MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm* made_comm), (comm, made_comm), "")
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made_comm), (comm, info, made_comm), "")
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made_comm), (comm, color, key, made_comm),
      "/" + std::to_string(color))

extern "C" int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made_comm, MPI_Request* request) {
  const std::string name = recorder().note(comm, "MPI_Comm_idup");
  const int result = PMPI_Comm_idup(comm, made_comm, request);
  if (result == MPI_SUCCESS) recorder().will_make(*request, made_comm, name);
  return result;
}

extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  recorder().note(*comm, "MPI_Comm_free");
  recorder().freed(*comm);
  return PMPI_Comm_free(comm);
}

extern "C" int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request tested = *request;
  const int result = PMPI_Test(request, flag, status);
  if (result == MPI_SUCCESS && *flag != 0) recorder().done(tested);
  return result;
}

extern "C" int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request awaited = *request;
  const int result = PMPI_Wait(request, status);
  if (result == MPI_SUCCESS) recorder().done(awaited);
  return result;
}

extern "C" int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) recorder().begin();
  return result;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) recorder().begin();
  return result;
}

extern "C" int MPI_Finalize() {
  recorder().compare();
  return PMPI_Finalize();
}
