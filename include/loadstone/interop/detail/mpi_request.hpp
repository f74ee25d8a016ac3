// One call of Loadstone's over MPI: what the process must remember, errors, and requests made of pieces.
#pragma once

#include <loadstone/communicator.hpp>
#include <loadstone/error.hpp>

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace loadstone::mpi_detail {

inline constexpr std::int64_t kPieceBytes = std::int64_t{1} << 30;
inline constexpr double kSetupDeadlineS = 300;

/// What this process must remember of its MPI. One a module.
struct Process {
  std::atomic<bool> finalizing = false;  ///< set when MPI_Finalize begins
  std::atomic<bool> ours = false;        ///< we initialised it
  std::atomic<bool> stuck = false;       ///< an operation was given up: MPI_Finalize could hang
  std::mutex mutex;
  std::vector<MPI_Comm> unused;  ///< duplicates that nobody holds; freed at the next collective call
};

inline Process& process() {
  static Process instance;
  return instance;
}

[[noreturn]] inline void fail(Code code, std::string kind, std::string message, std::string remedy = {}) {
  Fault fault;
  fault.code = code;
  fault.kind = std::move(kind);
  fault.message = std::move(message);
  fault.remedy = std::move(remedy);
  throw Error(std::move(fault));
}

/// Error{comm} with MPI's own text unless `result` is success. By class: raw codes differ from call to call.
inline void check(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  int error_class = MPI_ERR_UNKNOWN;
  MPI_Error_class(result, &error_class);
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(error_class, text, &length);
  fail(Code::comm, "comm.mpi", std::string(call) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

/// Whether MPI can be called: initialised, and its end has not begun.
inline bool is_running() noexcept {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0 && !process().finalizing;
}

inline void require_running() {
  if (is_running()) return;
  fail(Code::comm, "comm.mpi", "MPI is not running", "Initialise MPI before, and finalise it after, the last call.");
}

/// One call in pieces, done when all are. Holds what MPI reads meanwhile.
class Request final : public CommRequest {
 public:
  enum class Verb : std::uint8_t { send, receive, collective };
  explicit Request(Verb verb) : verb_(verb) {}
  ~Request() override { withdraw(); }

  bool test() override {
    while (next_ < pieces_.size()) {
      require_running();
      int done = 0;
      MPI_Status status;
      check(MPI_Test(&pieces_[next_].request, &done, &status), "MPI_Test");
      if (done == 0) return false;
      const int nbytes = pieces_[next_++].nbytes;
      if (verb_ == Verb::receive) check_length(status, nbytes);
    }
    return true;
  }

  bool withdraw() noexcept override {
    if (next_ >= pieces_.size() || !is_running()) return true;
    if (verb_ == Verb::receive) cancel();
    const bool gone = try_to_end(verb_ == Verb::receive ? 10'000 : 1);
    if (!gone) process().stuck = true;
    return gone;
  }

  /// A place for the next piece's handle.
  MPI_Request* add(int nbytes = 0) { return &pieces_.emplace_back(Piece{MPI_REQUEST_NULL, nbytes}).request; }
  std::vector<int> counts;
  std::vector<int> displacements;

 private:
  struct Piece {
    MPI_Request request;
    int nbytes;
  };

  static void check_length(const MPI_Status& status, int nbytes) {
    int got = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &got), "MPI_Get_count");
    if (got != nbytes) fail(Code::comm, "comm.length", "a message and its receive differ in length");
  }

  /// Cancelling a receive is local; it then ends cancelled or, if its message was on the way, received.
  void cancel() noexcept {
    for (std::size_t i = next_; i < pieces_.size(); ++i) {
      if (pieces_[i].request != MPI_REQUEST_NULL) MPI_Cancel(&pieces_[i].request);
    }
  }

  bool try_to_end(int tries) noexcept {
    while (next_ < pieces_.size()) {
      int done = 0;
      if (MPI_Test(&pieces_[next_].request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
      if (done != 0) {
        ++next_;
      } else if (--tries <= 0) {
        return false;
      } else {
        std::this_thread::yield();
      }
    }
    return true;
  }

  Verb verb_;
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

/// Calls `post(first, length)` for each piece of [0, total) of at most `limit`; at least once.
template <class Post>
void for_pieces(std::int64_t total, std::int64_t limit, const Post& post) {
  std::int64_t first = 0;
  do {
    const std::int64_t length = std::min(limit, total - first);
    post(first, static_cast<int>(length));
    first += length;
  } while (first < total);
}

}  // namespace loadstone::mpi_detail
