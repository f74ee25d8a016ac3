// One io_uring, filled and emptied by the engine's thread. The only file that sees liburing.
#include "io/backend_makers.hpp"

#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace loadstone::io {
namespace {

constexpr std::uint64_t kCancelTag = ~std::uint64_t{0};
// A buffered read of resident pages is carried out by whoever submits it. From this size on the kernel's workers do
// it, so that copies run side by side and the submitting thread stays free; below, handing over costs more than it
// saves.
constexpr std::size_t kAsyncBytes = std::size_t{128} * 1024;

std::size_t bytes_of(std::span<const iovec> iovecs) {
  std::size_t bytes = 0;
  for (const iovec& piece : iovecs) bytes += piece.iov_len;
  return bytes;
}

/// The ring's own descriptor follows the rule that 0 to 2 are never used.
bool move_above_standard_streams(io_uring& ring) {
  if (ring.ring_fd > 2) return true;
  const int higher = ::fcntl(ring.ring_fd, F_DUPFD_CLOEXEC, 3);
  if (higher < 0) return false;
  ::close(ring.ring_fd);
  ring.ring_fd = higher;
  ring.enter_ring_fd = higher;
  return true;
}

int init_ring(io_uring& ring, unsigned entries) {
  int error = io_uring_queue_init(entries, &ring, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_CLAMP);
  if (error == -EINVAL) error = io_uring_queue_init(entries, &ring, IORING_SETUP_CLAMP);
  if (error == 0 && !move_above_standard_streams(ring)) {
    io_uring_queue_exit(&ring);
    error = -EMFILE;
  }
  return error;
}

int kernel_switch() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/sys/kernel/io_uring_disabled", "re"),
                                                             std::fclose);
  int value = 0;
  if (file != nullptr && std::fscanf(file.get(), "%d", &value) != 1) value = 0;
  return value;
}

class UringBackend final : public Backend {
 public:
  explicit UringBackend(int depth) : slots_(static_cast<std::size_t>(depth)) {
    for (std::size_t i = slots_.size(); i > 0; --i) free_.push_back(i - 1);
    returned_.reserve(slots_.size());
    ready_ = init_ring(ring_, static_cast<unsigned>(depth)) == 0;
  }

  UringBackend(const UringBackend&) = delete;
  UringBackend& operator=(const UringBackend&) = delete;
  ~UringBackend() override {
    if (ready_) io_uring_queue_exit(&ring_);
  }

  [[nodiscard]] bool ready() const { return ready_; }

  int submit(std::span<const Request> requests) override {
    int accepted = 0;
    for (const Request& request : requests) {
      if (free_.empty()) break;
      io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
      if (sqe == nullptr) break;
      prepare(*sqe, request);
      ++accepted;
    }
    push();
    return accepted;
  }

  std::span<const Completion> wait(int min, const Interrupt& interrupt) override {
    returned_.clear();
    if (min > 0 && unsubmitted_) push();
    collect();
    if (returned_.size() >= static_cast<std::size_t>(std::max(0, min))) return returned_;
    const double started = interrupt.clock();
    const double started_steady = steady_seconds();
    while (returned_.size() < static_cast<std::size_t>(min) && !interrupt.stop.stop_requested() &&
           interrupt.clock() - started < interrupt.deadline_s &&
           steady_seconds() - started_steady < interrupt.deadline_s) {
      wait_slice(static_cast<unsigned>(min) - static_cast<unsigned>(returned_.size()), interrupt.deadline_s);
      collect();
    }
    return returned_;
  }

  void cancel(std::uint64_t tag) override {
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.busy && s.tag == tag; });
    io_uring_sqe* sqe = slot == slots_.end() ? nullptr : io_uring_get_sqe(&ring_);
    if (sqe == nullptr) return;
    io_uring_prep_cancel64(sqe, static_cast<std::uint64_t>(slot - slots_.begin()), 0);
    sqe->user_data = kCancelTag;
    push();
  }

  std::vector<std::uint64_t> close(const Interrupt& interrupt) override {
    const double started = steady_seconds();
    Interrupt slice = interrupt;
    while (free_.size() < slots_.size() && steady_seconds() - started < interrupt.deadline_s &&
           !interrupt.stop.stop_requested()) {
      slice.deadline_s = std::min(kWaitSlice, interrupt.deadline_s);
      wait(1, slice);
    }
    std::vector<std::uint64_t> missing;
    for (const Slot& slot : slots_) {
      if (slot.busy) missing.push_back(slot.tag);
    }
    return missing;
  }

 private:
  struct Slot {
    std::uint64_t tag = 0;
    bool busy = false;
  };

  void prepare(io_uring_sqe& sqe, const Request& request) {
    const std::size_t slot = free_.back();
    free_.pop_back();
    slots_[slot] = {request.tag, true};
    const auto offset = static_cast<std::uint64_t>(request.offset);
    const auto count = static_cast<unsigned>(request.iovecs.size());
    switch (request.operation) {
      case Operation::read: {
        const iovec& first = request.iovecs.front();
        if (count == 1)
          io_uring_prep_read(&sqe, request.slot, first.iov_base, static_cast<unsigned>(first.iov_len), offset);
        if (count != 1) io_uring_prep_readv(&sqe, request.slot, request.iovecs.data(), count, offset);
        break;
      }
      case Operation::write:
        io_uring_prep_writev(&sqe, request.slot, request.iovecs.data(), count, offset);
        break;
      case Operation::sync:
        io_uring_prep_fsync(&sqe, request.slot, 0);
        break;
    }
    if (request.operation == Operation::read) sqe.rw_flags = read_flags(request.mode);
    const bool is_buffered = request.mode == Mode::buffered || request.mode == Mode::uncached;
    const bool large = is_buffered && bytes_of(request.iovecs) >= kAsyncBytes;
    if (large) sqe.flags |= IOSQE_ASYNC;
    sqe.user_data = slot;
  }

  /// Entries that the kernel would not take now stay in the ring and go with the next call.
  void push() {
    int error = 0;
    do error = io_uring_submit(&ring_);
    while (error == -EINTR);
    unsubmitted_ = io_uring_sq_ready(&ring_) > 0;
  }

  void wait_slice(unsigned min, double deadline_s) {
    const double seconds = std::min(kWaitSlice, deadline_s);
    __kernel_timespec time = {};
    time.tv_nsec = static_cast<long long>(seconds * 1e9);
    io_uring_cqe* ignored = nullptr;
    io_uring_submit_and_wait_timeout(&ring_, &ignored, min, &time, nullptr);
  }

  void collect() {
    io_uring_cqe* cqe = nullptr;
    unsigned head = 0;
    unsigned seen = 0;
    io_uring_for_each_cqe(&ring_, head, cqe) {
      ++seen;
      if (cqe->user_data >= slots_.size()) continue;
      Slot& slot = slots_[cqe->user_data];
      returned_.push_back({slot.tag, cqe->res});
      slot.busy = false;
      free_.push_back(cqe->user_data);
    }
    io_uring_cq_advance(&ring_, seen);
  }

  io_uring ring_ = {};
  bool ready_ = false;
  bool unsubmitted_ = false;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::vector<Completion> returned_;
};

}  // namespace

Support probe_uring() {
  io_uring ring = {};
  const int error = init_ring(ring, 2);
  if (error == 0) {
    io_uring_queue_exit(&ring);
    return {true, {}};
  }
  if (error == -ENOSYS) return {false, "the kernel has no io_uring"};
  const int value = kernel_switch();
  if (error == -EPERM && value > 0) {
    return {false, "io_uring is switched off by kernel.io_uring_disabled=" + std::to_string(value)};
  }
  if (error == -EPERM) return {false, "io_uring is forbidden here (a seccomp filter, as containers have)"};
  return {false, std::string("io_uring cannot be set up: ") + std::strerror(-error)};
}

std::unique_ptr<Backend> make_uring(int depth) {
  auto backend = std::make_unique<UringBackend>(std::max(1, depth));
  if (!backend->ready()) return nullptr;
  return backend;
}

}  // namespace loadstone::io
