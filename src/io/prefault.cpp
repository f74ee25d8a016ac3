#include "io/prefault.hpp"

#include "core/interrupt.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <utility>

namespace loadstone::io {
namespace {

// 16 MiB a step reached 0.97 of the rate into present pages, 64 MiB 0.86: the first requests wait for a whole step.
constexpr std::size_t kStepBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxQueued = 256;
constexpr std::uintptr_t kPageBytes = 4096;

#ifndef MADV_POPULATE_WRITE
constexpr int MADV_POPULATE_WRITE = 23;
#endif

/// The whole pages inside a range. Those at its edges may belong to others.
std::span<std::byte> whole_pages(std::span<std::byte> memory) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (begin + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::uintptr_t last = (begin + memory.size()) / kPageBytes * kPageBytes;
  if (last <= first) return {};
  return memory.subspan(first - begin, last - first);
}

}  // namespace

Prefaulter::~Prefaulter() { stop_and_wait(); }

void Prefaulter::populate(std::span<std::byte> memory) {
  memory = whole_pages(memory);
  if (memory.empty()) return;
  const std::scoped_lock lock(mutex_);
  if (refused_ || queue_.size() >= kMaxQueued) return;
  if (!start()) return;
  queue_.push_back(memory);
  work_.notify_one();
}

/// False where the system has no thread left: then whoever reads first populates.
bool Prefaulter::start() {
  if (thread_.joinable()) return true;
  try {
    queue_.reserve(kMaxQueued);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  } catch (const std::exception&) {  // std::system_error, or no memory for it
    refused_ = true;
  }
  return !refused_;
}

void Prefaulter::stop_and_wait() {
  std::unique_lock lock(mutex_);
  queue_.clear();
  rested_.wait(lock, [&] { return !busy_; });
}

double Prefaulter::take_seconds() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(seconds_, 0.0);
}

void Prefaulter::serve(const std::stop_token& stop) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::unique_lock lock(mutex_);
  while (work_.wait(lock, stop, [&] { return !queue_.empty(); })) {
    if (!step(lock)) return;
  }
}

bool Prefaulter::step(std::unique_lock<std::mutex>& lock) {
  std::span<std::byte>& front = queue_.front();
  const std::span<std::byte> now = front.first(std::min(front.size(), kStepBytes));
  front = front.subspan(now.size());
  if (front.empty()) queue_.erase(queue_.begin());
  busy_ = true;
  lock.unlock();
  const double started = steady_seconds();
  const bool refused = ::madvise(now.data(), now.size(), MADV_POPULATE_WRITE) != 0 && errno == EINVAL;
  const double seconds = steady_seconds() - started;
  lock.lock();
  seconds_ += seconds;
  busy_ = false;
  rested_.notify_all();
  if (refused) {
    refused_ = true;
    queue_.clear();
  }
  return !refused_;
}

}  // namespace loadstone::io
