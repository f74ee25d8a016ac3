// One io_uring, filled and emptied by the engine's thread. The only file that sees liburing.
#include "io/backend_makers.hpp"
#include "io/entry_table.hpp"

#include <fcntl.h>
#include <liburing.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loadstone::io {
namespace {

constexpr std::uint64_t kCancelTag = ~std::uint64_t{0};
// A buffered read of resident pages is carried out by whoever submits it. From this size on the kernel's workers do
// it, so that copies run side by side and the submitting thread stays free; below, handing over costs more than it
// saves.
constexpr std::size_t kAsyncBytes = std::size_t{128} * 1024;
// As many files as are open at once by default (IO-7), and more slabs of 4 MiB than a load stages through as a rule.
// What finds no entry is only a little slower.
constexpr rlim_t kFileEntries = 64;
constexpr int kMemoryEntries = 64;
constexpr rlim_t kMemoryLockShare = 64;  // ranks on a host

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

/// What this process may have held in place, so that enough is left: RLIMIT_MEMLOCK is shared by all processes of a
/// user, and kernels from 6.14 count rings themselves, without which there is no io_uring.
std::size_t most_held_bytes() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> capabilities = {};
  const bool known = ::syscall(SYS_capget, &header, capabilities.data()) == 0;
  const bool unlimited = known && (capabilities[0].effective & (1U << CAP_IPC_LOCK)) != 0;
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return unlimited ? std::numeric_limits<std::size_t>::max() : limit.rlim_cur / kMemoryLockShare;
}

/// Files that the kernel has looked up once for all requests. The slot of a descriptor that found no entry is the
/// descriptor; that of an entry is negative, as no descriptor is.
class FileEntries {
 public:
  explicit FileEntries(io_uring& ring) : ring_(ring) {}

  void make() {
    rlimit limit = {};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    // Where more is asked for than may be open, liburing would raise that limit.
    const auto entries = static_cast<unsigned>(std::min(kFileEntries, limit.rlim_cur));
    if (io_uring_register_files_sparse(&ring_, entries) == 0) table_ = EntryTable(static_cast<int>(entries));
  }

  int attach(int fd) {
    const int entry = table_.take();
    if (entry == EntryTable::kNone) return fd;
    if (io_uring_register_files_update(&ring_, static_cast<unsigned>(entry), &fd, 1) == 1) return kFirstSlot - entry;
    table_.drop(entry);
    return fd;
  }

  void detach(int slot) {
    if (const int entry = entry_of(slot); entry != EntryTable::kNone && table_.drop(entry)) empty(entry);
  }

  static int entry_of(int slot) { return slot <= kFirstSlot ? kFirstSlot - slot : EntryTable::kNone; }
  void use(int entry) { table_.use(entry); }
  void done(int entry) {
    if (table_.done(entry)) empty(entry);
  }

 private:
  static constexpr int kFirstSlot = -2;

  void empty(int entry) {
    const int none = -1;
    io_uring_register_files_update(&ring_, static_cast<unsigned>(entry), &none, 1);
  }

  io_uring& ring_;
  EntryTable table_;
};

/// Memory whose pages the kernel has looked up, and holds, once for all direct reads into it.
class MemoryEntries {
 public:
  explicit MemoryEntries(io_uring& ring) : ring_(ring) {}

  void make() {
    if (io_uring_register_buffers_sparse(&ring_, kMemoryEntries) != 0) return;
    table_ = EntryTable(kMemoryEntries);
    memory_.resize(kMemoryEntries);
    bytes_left_ = most_held_bytes();
  }

  void add(std::span<std::byte> memory) {
    if (refused_ || memory.empty() || memory.size() > bytes_left_) return;
    const int entry = table_.take();
    if (entry == EntryTable::kNone) return;
    const int taken = fill(entry, {memory.data(), memory.size()});
    if (taken == 1) {
      memory_[static_cast<std::size_t>(entry)] = memory;
      bytes_left_ -= memory.size();
      return;
    }
    table_.drop(entry);
    // RLIMIT_MEMLOCK is used up by others. To find that out again each time costs as much as it would save.
    refused_ = taken == -ENOMEM || taken == -EPERM;
  }

  void remove(std::span<std::byte> memory) {
    const auto same = [&](const std::span<std::byte>& each) {
      return each.data() == memory.data() && each.size() == memory.size();
    };
    const auto found = memory.empty() ? memory_.end() : std::find_if(memory_.begin(), memory_.end(), same);
    if (found == memory_.end()) return;
    *found = {};
    bytes_left_ += memory.size();
    const auto entry = static_cast<int>(found - memory_.begin());
    if (table_.drop(entry)) empty(entry);
  }

  /// Of the registered memory that the whole piece lies in.
  [[nodiscard]] int entry_of(const iovec& piece) const {
    const auto* const first = static_cast<const std::byte*>(piece.iov_base);
    const auto holds = [&](const std::span<std::byte>& memory) {
      return piece.iov_len > 0 && first >= memory.data() && first + piece.iov_len <= memory.data() + memory.size();
    };
    const auto found = std::find_if(memory_.begin(), memory_.end(), holds);
    return found == memory_.end() ? EntryTable::kNone : static_cast<int>(found - memory_.begin());
  }

  void use(int entry) { table_.use(entry); }
  void done(int entry) {
    if (table_.done(entry)) empty(entry);
  }

 private:
  int fill(int entry, const iovec& memory) {
    return io_uring_register_buffers_update_tag(&ring_, static_cast<unsigned>(entry), &memory, nullptr, 1);
  }
  void empty(int entry) { fill(entry, {}); }

  io_uring& ring_;
  EntryTable table_;
  std::vector<std::span<std::byte>> memory_;  // by entry
  std::size_t bytes_left_ = 0;
  bool refused_ = false;
};

class UringBackend final : public Backend {
 public:
  explicit UringBackend(int depth) : slots_(static_cast<std::size_t>(depth)) {
    for (std::size_t i = slots_.size(); i > 0; --i) free_.push_back(i - 1);
    returned_.reserve(slots_.size());
    ready_ = init_ring(ring_, static_cast<unsigned>(depth)) == 0;
    if (!ready_) return;
    files_.make();
    memory_.make();
  }

  UringBackend(const UringBackend&) = delete;
  UringBackend& operator=(const UringBackend&) = delete;
  ~UringBackend() override {
    if (!ready_) return;
    // The kernel takes a ring apart later, but files shall be closed and memory be free now. It would wait for requests
    // that never come back.
    if (free_.size() == slots_.size()) {
      io_uring_unregister_files(&ring_);
      io_uring_unregister_buffers(&ring_);
    }
    io_uring_queue_exit(&ring_);
  }

  [[nodiscard]] bool ready() const { return ready_; }

  int attach(int fd) override { return files_.attach(fd); }
  void detach(int slot) override { files_.detach(slot); }
  void register_memory(std::span<std::byte> memory) override { memory_.add(memory); }
  void unregister_memory(std::span<std::byte> memory) override { memory_.remove(memory); }

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
    int file_entry = EntryTable::kNone;
    int memory_entry = EntryTable::kNone;
  };

  void prepare(io_uring_sqe& sqe, const Request& request) {
    const std::size_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    slot = {request.tag, true, FileEntries::entry_of(request.slot), memory_entry_of(request)};
    files_.use(slot.file_entry);
    memory_.use(slot.memory_entry);
    const bool fixed = slot.file_entry != EntryTable::kNone;
    prepare_operation(sqe, fixed ? slot.file_entry : request.slot, request, slot.memory_entry);
    if (fixed) sqe.flags |= IOSQE_FIXED_FILE;
    const bool is_buffered = request.mode == Mode::buffered || request.mode == Mode::uncached;
    const bool large = is_buffered && bytes_of(request.iovecs) >= kAsyncBytes;
    if (large) sqe.flags |= IOSQE_ASYNC;
    sqe.user_data = index;
  }

  /// What a buffered read costs is the copy, not looking up its pages.
  [[nodiscard]] int memory_entry_of(const Request& request) const {
    const bool may_be = request.operation == Operation::read && request.mode == Mode::direct;
    return may_be && request.iovecs.size() == 1 ? memory_.entry_of(request.iovecs.front()) : EntryTable::kNone;
  }

  static void prepare_operation(io_uring_sqe& sqe, int file, const Request& request, int memory_entry) {
    const auto offset = static_cast<std::uint64_t>(request.offset);
    const auto count = static_cast<unsigned>(request.iovecs.size());
    switch (request.operation) {
      case Operation::read:
        prepare_read(sqe, file, request, memory_entry);
        break;
      case Operation::write:
        io_uring_prep_writev(&sqe, file, request.iovecs.data(), count, offset);
        break;
      case Operation::sync:
        io_uring_prep_fsync(&sqe, file, 0);
        break;
    }
  }

  static void prepare_read(io_uring_sqe& sqe, int file, const Request& request, int memory_entry) {
    const auto offset = static_cast<std::uint64_t>(request.offset);
    const auto count = static_cast<unsigned>(request.iovecs.size());
    const iovec& first = request.iovecs.front();
    const auto bytes = static_cast<unsigned>(first.iov_len);
    if (memory_entry != EntryTable::kNone) {
      io_uring_prep_read_fixed(&sqe, file, first.iov_base, bytes, offset, memory_entry);
    } else if (count == 1) {
      io_uring_prep_read(&sqe, file, first.iov_base, bytes, offset);
    } else {
      io_uring_prep_readv(&sqe, file, request.iovecs.data(), count, offset);
    }
    sqe.rw_flags = read_flags(request.mode);
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
      files_.done(slot.file_entry);
      memory_.done(slot.memory_entry);
      free_.push_back(cqe->user_data);
    }
    io_uring_cq_advance(&ring_, seen);
  }

  io_uring ring_ = {};
  FileEntries files_{ring_};
  MemoryEntries memory_{ring_};
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
