#include "io/mapped_copy.hpp"

#include "core/checked.hpp"
#include "io/fault_guard.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>

namespace loadstone::io {
namespace {

constexpr std::int64_t kPageBytes = 4096;

#ifndef MADV_POPULATE_READ
constexpr int MADV_POPULATE_READ = 22;
#endif

/// A read-only view of a file range, from the page that holds its first byte on.
class View {
 public:
  View(int fd, std::int64_t offset, std::int64_t bytes)
      : start_(round_down(offset, kPageBytes)), bytes_(static_cast<std::size_t>(offset + bytes - start_)) {
    void* const at = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd, start_);
    data_ = at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
  }

  /// Fills the page tables in one go. False if the file is cut, or the kernel does not know how.
  [[nodiscard]] bool populate() const { return data_ != nullptr && ::madvise(data_, bytes_, MADV_POPULATE_READ) == 0; }
  [[nodiscard]] const std::byte* at(std::int64_t offset) const { return data_ + (offset - start_); }

 private:
  std::int64_t start_;
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

std::int64_t bytes_of(std::span<const iovec> pieces) {
  std::int64_t bytes = 0;
  for (const iovec& piece : pieces) bytes += static_cast<std::int64_t>(piece.iov_len);
  return bytes;
}

bool is_unchanged(const MappedJob& job) {
  Result<FileIdentity> now = identity_of(job.fd, "");
  return now.ok() && compare_identity(job.identity, *now, job.rule, "").ok();
}

bool copy_pieces(const MappedJob& job, const View& view) {
  std::int64_t at = job.offset;
  for (const iovec& piece : job.destinations) {
    const std::span mapped(view.at(at), piece.iov_len);
    if (!guarded_copy(static_cast<std::byte*>(piece.iov_base), mapped, *job.kernels)) return false;
    at += static_cast<std::int64_t>(piece.iov_len);
  }
  return true;
}

void block_signals() {
  sigset_t blocked;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

}  // namespace

bool copy_mapped(const MappedJob& job, Ledger& ledger) {
  if (!guard_is_in_place() || !is_unchanged(job)) return false;
  const std::int64_t bytes = bytes_of(job.destinations);
  const Result<Reservation> charged = ledger.try_reserve(round_up(bytes, kPageBytes) + kPageBytes, Use::mapped);
  if (!charged.ok()) return false;
  const View view(job.fd, job.offset, bytes);
  // The second look finds a file that was cut inside a page: such a page reads as zeros, without any signal.
  return view.populate() && copy_pieces(job, view) && is_unchanged(job);
}

MappedCopiers::MappedCopiers(Ledger& ledger, int threads) : ledger_(ledger), threads_(std::max(1, threads)) {}

MappedCopiers::~MappedCopiers() = default;

void MappedCopiers::add(const MappedJob& job) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(job);
  }
  if (static_cast<int>(helpers_.size()) + 1 < threads_) {
    helpers_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  }
  work_.notify_one();
}

bool MappedCopiers::help() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) return false;
  const MappedJob job = waiting_.front();
  waiting_.erase(waiting_.begin());
  lock.unlock();
  const bool copied = copy_mapped(job, ledger_);
  lock.lock();
  done_.push_back({job.tag, copied});
  finished_.notify_one();
  return true;
}

void MappedCopiers::collect(std::vector<Done>& done, double seconds) {
  std::unique_lock lock(mutex_);
  if (seconds > 0) {
    finished_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !done_.empty(); });
  }
  done.assign(done_.begin(), done_.end());
  done_.clear();
}

void MappedCopiers::serve(const std::stop_token& stop) {
  block_signals();
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      if (!work_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
    }
    help();
  }
}

}  // namespace loadstone::io
