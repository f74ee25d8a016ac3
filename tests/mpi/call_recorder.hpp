// The recorder of one process: names communicators alike on all ranks, notes the calls on them, compares at the end.
#pragma once

#include "mpi/call_log.hpp"

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace loadstone::test {

class CallRecorder {
 public:
  /// Never destroyed: MPI may be finalised at exit.
  static CallRecorder& instance();

  /// Collective. Right after MPI was initialised.
  void begin();
  /// Notes a call, before it is made. Returns the name of a communicator that it makes. Communicators of one rank have
  /// nobody to differ from; one that came about unseen ends the job.
  std::string note(MPI_Comm comm, const std::string& call);
  /// A communicator was made by the call that has this name.
  void made(MPI_Comm comm, const std::string& name);
  /// One will be, once the request is done; MPI writes its handle to `comm` until then.
  void will_make(MPI_Request request, const MPI_Comm* comm, const std::string& name);
  void done(MPI_Request request);
  void freed(MPI_Comm comm);
  /// Collective. Right before MPI is finalised: rank 0 tells whether all ranks called the same, and ends the job if
  /// not.
  void compare();

 private:
  struct Promise {
    const MPI_Comm* comm;
    std::string name;
  };

  [[nodiscard]] std::string gathered(int root, std::vector<int>& lengths);
  void judge(const std::vector<RankLogs>& by_rank) const;

  std::mutex mutex_;
  MPI_Comm own_ = MPI_COMM_NULL;
  std::deque<CallLog> logs_;
  std::map<MPI_Comm, CallLog*> known_;
  std::map<MPI_Request, Promise> promised_;
};

}  // namespace loadstone::test
