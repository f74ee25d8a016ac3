#include "io/copiers.hpp"

#include "core/interrupt.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <exception>

namespace loadstone::io {
namespace {

constexpr std::size_t kMostJobs = 512;  // as many as there can be requests: nothing is asked of the system later

void block_signals() {
  sigset_t blocked;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

bool carry_out(const CopyJob& job, Ledger& ledger) {
  if (!job.block.empty()) {
    copy_from_block(job);
    return true;
  }
  return job.way == Way::mapped ? copy_mapped(job, ledger) : copy_by_reading(job);
}

}  // namespace

Copiers::Copiers(Ledger& ledger, int threads) : ledger_(ledger), threads_(std::max(1, threads)) {
  waiting_.reserve(kMostJobs);
  done_.reserve(kMostJobs);
  helpers_.reserve(static_cast<std::size_t>(threads_));
}

Copiers::~Copiers() = default;

void Copiers::add(const CopyJob& job) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(job);
  }
  start_helper();
  work_.notify_one();
}

/// Where the system has no thread left, those that there are do the work: at the least the caller's.
void Copiers::start_helper() {
  if (refused_ || static_cast<int>(helpers_.size()) + 1 >= threads_) return;
  try {
    helpers_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  } catch (const std::exception&) {  // std::system_error, or no memory for it
    refused_ = true;
  }
}

bool Copiers::help() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) return false;
  const CopyJob job = waiting_.front();
  waiting_.erase(waiting_.begin());
  lock.unlock();
  const double started = steady_seconds();
  const bool copied = carry_out(job, ledger_);
  const double seconds = steady_seconds() - started;
  lock.lock();
  done_.push_back({job.tag, copied, seconds});
  finished_.notify_one();
  return true;
}

void Copiers::give_up_waiting() {
  const std::scoped_lock lock(mutex_);
  for (const CopyJob& job : waiting_) done_.push_back({job.tag, false, 0});
  waiting_.clear();
}

void Copiers::collect(std::vector<Done>& done, double seconds) {
  std::unique_lock lock(mutex_);
  if (seconds > 0) {
    finished_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !done_.empty(); });
  }
  done.assign(done_.begin(), done_.end());
  done_.clear();
}

void Copiers::serve(const std::stop_token& stop) {
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
