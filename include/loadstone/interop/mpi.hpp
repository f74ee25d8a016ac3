// Loadstone over your MPI: implements the communicator seam with the <mpi.h> that you compile with, whatever the stack.
// MPI 3.1, non-blocking calls only, 32-bit counts (larger ones are split), and never a call in a destructor that could
// communicate or that comes after MPI_Finalize.
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

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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

/// First line of MPI_Get_library_version's text, blanks squeezed: "Open MPI v4.1.4, ...", "MPICH Version: 4.0.2".
std::string mpi_library_version();

namespace mpi_detail {

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
  Failure failure;
  failure.faults.push_back(std::move(fault));
  failure.total_faults = 1;
  throw Error(std::move(failure));
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
    for (; next_ < pieces_.size(); ++next_) {
      require_running();
      int done = 0;
      MPI_Status status;
      check(MPI_Test(&pieces_[next_].request, &done, &status), "MPI_Test");
      if (done == 0) return false;
      if (verb_ == Verb::receive) check_length(status, pieces_[next_].nbytes);
    }
    return true;
  }

  bool withdraw() noexcept override {
    if (next_ >= pieces_.size()) return true;
    const bool gone = !is_running() || (verb_ == Verb::receive && cancel());
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

  /// Cancelling a receive is local; it ends cancelled or, if its message was on the way, received.
  bool cancel() noexcept {
    for (std::size_t i = next_; i < pieces_.size(); ++i) MPI_Cancel(&pieces_[i].request);
    constexpr int kTries = 10'000;
    for (int i = 0; i < kTries && next_ < pieces_.size(); ++i) {
      int done = 0;
      if (MPI_Test(&pieces_[next_].request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
      if (done != 0) {
        ++next_;
      } else {
        std::this_thread::yield();
      }
    }
    return next_ >= pieces_.size();
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

inline MPI_Op op_of(Reduce op) {
  switch (op) {
    case Reduce::max:
      return MPI_MAX;
    case Reduce::min:
      return MPI_MIN;
    case Reduce::sum:
      break;
  }
  return MPI_SUM;
}

/// Frees the duplicates that nobody holds. In a collective call: MPI_Comm_free is one by its contract.
inline void free_unused() {
  std::vector<MPI_Comm> unused;
  {
    const std::lock_guard lock(process().mutex);
    unused.swap(process().unused);
  }
  for (MPI_Comm& comm : unused) MPI_Comm_free(&comm);
}

/// A duplicate, made without blocking in MPI: on fewer cores than ranks its waits are slow, and they have no deadline.
inline MPI_Comm duplicate_of(MPI_Comm comm) {
  struct Pending {
    MPI_Comm result = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  free_unused();
  auto pending = std::make_unique<Pending>();
  check(MPI_Comm_idup(comm, &pending->result, &pending->request), "MPI_Comm_idup");
  const auto start = std::chrono::steady_clock::now();
  for (int done = 0, polls = 0;; ++polls) {
    check(MPI_Test(&pending->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) break;
    if (std::chrono::steady_clock::now() - start > std::chrono::duration<double>(kSetupDeadlineS)) {
      process().stuck = true;
      pending.release();  // MPI may still write into it
      fail(Code::deadline, "comm.deadline", "the other ranks did not come to make a communicator");
    }
    polls < 1000 ? std::this_thread::yield() : std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  check(MPI_Comm_set_errhandler(pending->result, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return pending->result;
}

/// Owns a duplicate. Handles that are let go are freed later (see Process::unused).
class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(MPI_Comm duplicate, std::int64_t piece_bytes) : comm_(duplicate), piece_bytes_(piece_bytes) {
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }

  ~MpiCommunicator() override {
    if (!is_running() || process().stuck) return;
    const std::lock_guard lock(process().mutex);
    process().unused.push_back(comm_);
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] std::string description() const override { return "mpi (" + mpi_library_version() + ")"; }

  std::unique_ptr<CommRequest> isend(std::span<const std::byte> bytes, int to, int tag) override {
    check_peer(to, tag);
    auto request = start(Request::Verb::send);
    for_pieces(signed_size(bytes), piece_bytes_, [&](std::int64_t first, int length) {
      check(MPI_Isend(bytes.data() + first, length, MPI_BYTE, to, tag, comm_, request->add()), "MPI_Isend");
    });
    return request;
  }

  std::unique_ptr<CommRequest> irecv(std::span<std::byte> bytes, int from, int tag) override {
    check_peer(from, tag);
    auto request = start(Request::Verb::receive);
    for_pieces(signed_size(bytes), piece_bytes_, [&](std::int64_t first, int length) {
      check(MPI_Irecv(bytes.data() + first, length, MPI_BYTE, from, tag, comm_, request->add(length)), "MPI_Irecv");
    });
    return request;
  }

  std::unique_ptr<CommRequest> iallreduce(std::span<std::int64_t> values, Reduce op) override {
    auto request = start(Request::Verb::collective);
    const std::int64_t limit =
        std::max<std::int64_t>(1, piece_bytes_ / static_cast<std::int64_t>(sizeof(std::int64_t)));
    for_pieces(signed_size(values), limit, [&](std::int64_t first, int length) {
      check(MPI_Iallreduce(MPI_IN_PLACE, values.data() + first, length, MPI_INT64_T, op_of(op), comm_, request->add()),
            "MPI_Iallreduce");
    });
    return request;
  }

  std::unique_ptr<CommRequest> ibroadcast(std::span<std::byte> bytes, int root) override {
    check_peer(root, 0);
    auto request = start(Request::Verb::collective);
    post_broadcast(*request, bytes, root);
    return request;
  }

  std::unique_ptr<CommRequest> iallgatherv(std::span<const std::byte> mine, std::span<std::byte> all,
                                           std::span<const std::int64_t> counts) override {
    check_counts(signed_size(mine), signed_size(all), counts);
    auto request = start(Request::Verb::collective);
    if (signed_size(all) <= piece_bytes_) {
      post_gather(*request, mine, all, counts);
    } else {
      post_gather_in_pieces(*request, mine, all, counts);
    }
    return request;
  }

  std::shared_ptr<Communicator> duplicate() override {
    require_running();
    return std::make_shared<MpiCommunicator>(duplicate_of(comm_), piece_bytes_);
  }

 private:
  template <class T>
  static std::int64_t signed_size(std::span<T> span) {
    return static_cast<std::int64_t>(span.size());
  }

  static std::unique_ptr<Request> start(Request::Verb verb) {
    require_running();
    return std::make_unique<Request>(verb);
  }

  void check_peer(int peer, int tag) const {
    if (peer >= 0 && peer < size_ && tag >= 0 && tag <= 32767) return;
    fail(Code::bad_argument, "comm.argument",
         "no rank " + std::to_string(peer) + " or tag " + std::to_string(tag) + " in a communicator of " +
             std::to_string(size_));
  }

  void check_counts(std::int64_t mine, std::int64_t all, std::span<const std::int64_t> counts) const {
    bool fits = signed_size(counts) == size_ && counts[static_cast<std::size_t>(rank_)] == mine;
    std::int64_t left = all;
    for (const std::int64_t count : counts) {
      fits = fits && count >= 0 && count <= left;
      left -= fits ? count : 0;
    }
    if (!fits || left != 0) fail(Code::bad_argument, "comm.argument", "the buffers do not fit the counts");
  }

  void post_broadcast(Request& request, std::span<std::byte> bytes, int root) {
    for_pieces(signed_size(bytes), piece_bytes_, [&](std::int64_t first, int length) {
      check(MPI_Ibcast(bytes.data() + first, length, MPI_BYTE, root, comm_, request.add()), "MPI_Ibcast");
    });
  }

  void post_gather(Request& request, std::span<const std::byte> mine, std::span<std::byte> all,
                   std::span<const std::int64_t> counts) {
    int displacement = 0;
    for (const std::int64_t count : counts) {
      request.counts.push_back(static_cast<int>(count));
      request.displacements.push_back(displacement);
      displacement += static_cast<int>(count);
    }
    check(MPI_Iallgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), request.counts.data(),
                          request.displacements.data(), MPI_BYTE, comm_, request.add()),
          "MPI_Iallgatherv");
  }

  // Displacements are ints: what passes the limit goes as one broadcast a rank.
  void post_gather_in_pieces(Request& request, std::span<const std::byte> mine, std::span<std::byte> all,
                             std::span<const std::int64_t> counts) {
    std::size_t displacement = 0;
    for (int root = 0; root < size_; ++root) {
      const auto count = static_cast<std::size_t>(counts[static_cast<std::size_t>(root)]);
      const std::span<std::byte> part = all.subspan(displacement, count);
      if (root == rank_) std::copy(mine.begin(), mine.end(), part.begin());
      post_broadcast(request, part, root);
      displacement += count;
    }
  }

  MPI_Comm comm_;
  std::int64_t piece_bytes_;
  int rank_ = 0;
  int size_ = 0;
};

/// A communicator over a fresh duplicate that is not kept with `comm`, with another limit for one piece (tests).
inline std::shared_ptr<Communicator> make_communicator(MPI_Comm comm, std::int64_t piece_bytes = kPieceBytes) {
  return std::make_shared<MpiCommunicator>(duplicate_of(comm), piece_bytes);
}

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

inline std::string mpi_library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string squeezed;
  for (const char c : std::string_view(text, static_cast<std::size_t>(length))) {
    if (c == '\n' || c == '\0') break;
    const bool blank = c == ' ' || c == '\t';
    if (!blank || (!squeezed.empty() && squeezed.back() != ' ')) squeezed += blank ? ' ' : c;
  }
  return squeezed;
}

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
