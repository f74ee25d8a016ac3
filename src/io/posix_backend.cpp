// Blocking preadv2 and pwritev2 on a pool of threads: as fast as a ring, and there everywhere.
#include "io/backend_makers.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

namespace loadstone::io {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} * 1024;
// Handing a request to a thread and back costs about 10 us, copying 16 KiB from the page cache 2 us: so small requests
// are first tried where they are, without blocking.
constexpr std::size_t kInlineBytes = std::size_t{16} * 1024;

std::size_t bytes_of(std::span<const iovec> iovecs) {
  std::size_t bytes = 0;
  for (const iovec& piece : iovecs) bytes += piece.iov_len;
  return bytes;
}

std::int64_t carry_out(const Request& request, int flags) {
  const auto count = static_cast<int>(request.iovecs.size());
  ssize_t result = 0;
  switch (request.operation) {
    case Operation::read:
      result = ::preadv2(request.slot, request.iovecs.data(), count, request.offset, flags);
      break;
    case Operation::write:
      result = ::pwritev2(request.slot, request.iovecs.data(), count, request.offset, flags);
      break;
    case Operation::sync:
      result = ::fsync(request.slot);
      break;
  }
  return result < 0 ? -errno : result;
}

/// What the threads share with their owner. It outlives both, so that a thread stuck in the kernel harms nobody.
struct Shared {
  explicit Shared(int depth) : jobs(static_cast<std::size_t>(depth)) {
    running.reserve(jobs.size());
    done.reserve(jobs.size());
  }

  std::mutex mutex;
  std::condition_variable work;
  std::condition_variable arrived;
  std::vector<Request> jobs;  // a ring
  std::size_t first_job = 0;
  std::size_t queued = 0;
  std::vector<std::uint64_t> running;
  std::vector<Completion> done;
  std::size_t idle = 0;
  std::size_t threads = 0;
  bool closing = false;

  bool wait_for_job(std::unique_lock<std::mutex>& lock) {
    ++idle;
    work.wait(lock, [&] { return queued > 0 || closing; });
    --idle;
    return queued > 0;
  }

  void do_first_job(std::unique_lock<std::mutex>& lock) {
    const Request job = jobs[first_job];
    first_job = (first_job + 1) % jobs.size();
    --queued;
    running.push_back(job.tag);
    lock.unlock();
    const std::int64_t result = carry_out(job, job.operation == Operation::read ? read_flags(job.mode) : 0);
    lock.lock();
    running.erase(std::find(running.begin(), running.end(), job.tag));
    done.push_back({job.tag, result});
    arrived.notify_one();
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (wait_for_job(lock)) do_first_job(lock);
    --threads;
    arrived.notify_all();
  }
};

void* thread_main(void* argument) {
  const std::unique_ptr<std::shared_ptr<Shared>> shared(static_cast<std::shared_ptr<Shared>*>(argument));
  (*shared)->serve();
  return nullptr;
}

std::unique_ptr<std::shared_ptr<Shared>> share(const std::shared_ptr<Shared>& shared) noexcept {
  try {
    return std::make_unique<std::shared_ptr<Shared>>(shared);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// A small detached thread that takes no signals: those are the program's. False where the system has none left.
bool start_thread(const std::shared_ptr<Shared>& shared) noexcept {
  auto argument = share(shared);
  if (argument == nullptr) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread = {};
  const bool started = pthread_create(&thread, &attributes, thread_main, argument.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (started) (void)argument.release();
  return started;
}

class PosixBackend final : public Backend {
 public:
  explicit PosixBackend(int depth) : depth_(static_cast<std::size_t>(depth)), shared_(std::make_shared<Shared>(depth)) {
    handed_.reserve(depth_);
    inline_done_.reserve(depth_);
    returned_.reserve(2 * depth_);
  }

  PosixBackend(const PosixBackend&) = delete;
  PosixBackend& operator=(const PosixBackend&) = delete;
  ~PosixBackend() override {
    std::unique_lock lock(shared_->mutex);
    shared_->queued = 0;
    shared_->closing = true;
    shared_->work.notify_all();
    // Threads still in the kernel after close() are left to themselves; the others go at once.
    shared_->arrived.wait(lock, [&] { return shared_->threads == shared_->running.size(); });
  }

  int submit(std::span<const Request> requests) override {
    const std::size_t accepted = std::min(requests.size(), depth_ - outstanding_);
    outstanding_ += accepted;
    handed_.clear();
    for (const Request& request : requests.first(accepted)) {
      if (!complete_here(request)) handed_.push_back(request);
    }
    if (!handed_.empty()) hand_over();
    return static_cast<int>(accepted);
  }

  std::span<const Completion> wait(int min, const Interrupt& interrupt) override {
    returned_.assign(inline_done_.begin(), inline_done_.end());
    inline_done_.clear();
    const auto wanted = static_cast<std::size_t>(std::max(min, 0));
    const std::size_t missing = wanted - std::min(returned_.size(), wanted);
    std::unique_lock lock(shared_->mutex);
    wait_for(lock, [&] { return shared_->done.size() >= missing; }, interrupt);
    returned_.insert(returned_.end(), shared_->done.begin(), shared_->done.end());
    shared_->done.clear();
    outstanding_ -= returned_.size();
    return returned_;
  }

  void cancel(std::uint64_t tag) override {
    const std::scoped_lock lock(shared_->mutex);
    Shared& shared = *shared_;
    for (std::size_t i = 0; i < shared.queued; ++i) {
      const std::size_t at = (shared.first_job + i) % shared.jobs.size();
      if (shared.jobs[at].tag != tag) continue;
      shared.jobs[at] = shared.jobs[shared.first_job];
      shared.first_job = (shared.first_job + 1) % shared.jobs.size();
      --shared.queued;
      shared.done.push_back({tag, -ECANCELED});
      shared.arrived.notify_one();
      return;
    }
  }

  std::vector<std::uint64_t> close(const Interrupt& interrupt) override {
    std::unique_lock lock(shared_->mutex);
    const auto none_left = [&] { return shared_->queued == 0 && shared_->running.empty(); };
    wait_for(lock, none_left, interrupt);
    std::vector<std::uint64_t> missing = shared_->running;
    for (std::size_t i = 0; i < shared_->queued; ++i) {
      missing.push_back(shared_->jobs[(shared_->first_job + i) % shared_->jobs.size()].tag);
    }
    shared_->done.clear();
    inline_done_.clear();
    outstanding_ = missing.size();
    return missing;
  }

 private:
  /// Where no thread could be started, whoever waits carries requests out, however long that takes.
  template <class Condition>
  void wait_for(std::unique_lock<std::mutex>& lock, const Condition& condition, const Interrupt& interrupt) {
    if (condition()) return;
    const double started = interrupt.clock();
    const double started_steady = steady_seconds();
    const auto expired = [&] {
      return interrupt.clock() - started >= interrupt.deadline_s ||
             steady_seconds() - started_steady >= interrupt.deadline_s || interrupt.stop.stop_requested();
    };
    while (!condition() && !expired()) {
      if (shared_->threads == 0 && shared_->queued > 0) {
        shared_->do_first_job(lock);
        continue;
      }
      shared_->arrived.wait_for(lock, std::chrono::duration<double>(std::min(kWaitSlice, interrupt.deadline_s)));
    }
  }

  bool complete_here(const Request& request) {
    if (request.operation != Operation::read || request.mode == Mode::direct || request.mode == Mode::uncached ||
        !nowait_works_)
      return false;
    const std::size_t bytes = bytes_of(request.iovecs);
    if (bytes > kInlineBytes && request.mode != Mode::nowait) return false;
    const std::int64_t result = carry_out(request, RWF_NOWAIT);
    if (request.mode != Mode::nowait) {
      if (result == -EOPNOTSUPP) nowait_works_ = false;
      if (result != static_cast<std::int64_t>(bytes)) return false;
    }
    inline_done_.push_back({request.tag, result});
    return true;
  }

  void hand_over() {
    const std::scoped_lock lock(shared_->mutex);
    Shared& shared = *shared_;
    for (const Request& request : handed_) {
      shared.jobs[(shared.first_job + shared.queued) % shared.jobs.size()] = request;
      ++shared.queued;
    }
    for (std::size_t ready = shared.idle; ready < shared.queued && shared.threads < depth_; ++ready) {
      if (!start_thread(shared_)) break;
      ++shared.threads;
    }
    if (handed_.size() == 1) shared.work.notify_one();
    if (handed_.size() > 1) shared.work.notify_all();
  }

  const std::size_t depth_;
  const std::shared_ptr<Shared> shared_;
  std::size_t outstanding_ = 0;
  bool nowait_works_ = true;
  std::vector<Request> handed_;
  std::vector<Completion> inline_done_;
  std::vector<Completion> returned_;
};

}  // namespace

Support probe_posix() { return {true, {}}; }

std::unique_ptr<Backend> make_posix(int depth) { return std::make_unique<PosixBackend>(std::max(1, depth)); }

}  // namespace loadstone::io
