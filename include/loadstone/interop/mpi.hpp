// Loadstone over your MPI: implements the communicator seam with the <mpi.h> that you compile with, whatever the stack.
// MPI 3.1, non-blocking calls only, 32-bit counts (larger ones are split), and never a call in a destructor that could
// communicate or that comes after MPI_Finalize.
#pragma once

#include <loadstone/communicator.hpp>
#include <loadstone/interop/detail/mpi_communicator.hpp>

#include <cstdlib>
#include <memory>

namespace loadstone {

/// Loadstone's own duplicate of `comm`, with errors returned. Collective over `comm` the first time; the duplicate is
/// then kept with it as an MPI attribute, and further calls are local and return the same one. It lives on as long as
/// somebody holds it, also after `comm` was freed. MPI must be initialised, at least with MPI_THREAD_FUNNELED if it is
/// called from the main thread only. Error{bad_argument} on MPI_COMM_NULL and intercommunicators; Error{comm} if MPI is
/// not running; Error{deadline} if the other ranks do not come within five minutes.
std::shared_ptr<Communicator> mpi_communicator(MPI_Comm comm);

/// The world. Initialises MPI (MPI_THREAD_MULTIPLE) if nobody has, and finalises it at exit then, unless somebody else
/// did. Collective the first time.
std::shared_ptr<Communicator> mpi_world();

/// Finalises MPI now if `mpi_world` initialised it and nobody has finalised it; at exit otherwise. Not after a failed
/// communicator: MPI_Finalize would wait for ranks that never come, so the launcher is left to end the job.
void mpi_finalize_if_ours() noexcept;

namespace mpi_detail {

using Kept = std::shared_ptr<Communicator>;

inline int forget_kept(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<Kept> kept(static_cast<Kept*>(attribute));
  return MPI_SUCCESS;
}

inline int note_finalize(MPI_Comm, int, void*, void*) {
  process().finalizing = true;
  return MPI_SUCCESS;
}

inline int make_key(MPI_Comm_delete_attr_function* on_delete) {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, nullptr), "MPI_Comm_create_keyval");
  return key;
}

/// MPI_Finalize first deletes what is attached to MPI_COMM_SELF: from then on nothing of ours calls MPI.
inline void watch_finalize() {
  static const bool watching = [] {
    check(MPI_Comm_set_attr(MPI_COMM_SELF, make_key(note_finalize), nullptr), "MPI_Comm_set_attr");
    return true;
  }();
  static_cast<void>(watching);
}

inline int kept_key() {
  static const int key = make_key(forget_kept);
  return key;
}

inline void refuse_unless_group(MPI_Comm comm) {
  int is_inter = 0;
  if (comm != MPI_COMM_NULL) check(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  if (comm == MPI_COMM_NULL || is_inter != 0)
    fail(Code::bad_argument, "comm.argument", "the communicator is null, or joins two groups",
         "Give one that holds the ranks that load.");
}

inline void initialize() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) return;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  process().ours = true;
  std::atexit(mpi_finalize_if_ours);
}

}  // namespace mpi_detail

inline std::shared_ptr<Communicator> mpi_communicator(MPI_Comm comm) {
  using namespace mpi_detail;
  require_running();
  refuse_unless_group(comm);
  watch_finalize();
  void* attribute = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm, kept_key(), &attribute, &found), "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Kept*>(attribute);
  auto kept = std::make_unique<Kept>(make_communicator(comm));
  check(MPI_Comm_set_attr(comm, kept_key(), kept.get()), "MPI_Comm_set_attr");
  return *kept.release();
}

inline std::shared_ptr<Communicator> mpi_world() {
  mpi_detail::initialize();
  return mpi_communicator(MPI_COMM_WORLD);
}

inline void mpi_finalize_if_ours() noexcept {
  mpi_detail::Process& process = mpi_detail::process();
  if (!process.ours || process.stuck || !mpi_detail::is_running()) return;
  MPI_Finalize();
}

}  // namespace loadstone
