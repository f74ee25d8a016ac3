// The communicator seam over one MPI communicator of our own.
#pragma once

#include <loadstone/interop/detail/mpi_request.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace loadstone {

/// First line of MPI_Get_library_version's text, blanks squeezed: "Open MPI v4.1.4, ...", "MPICH Version: 4.0.2".
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

namespace mpi_detail {

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

}  // namespace mpi_detail
}  // namespace loadstone
