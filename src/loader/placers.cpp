#include "loader/placers.hpp"

#include "loader/session.hpp"

#include <utility>

namespace loadstone::loader {

Placers::Placers(int threads) {
  if (threads < 2) return;
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

Placers::~Placers() {
  const std::scoped_lock lock(mutex_);
  tasks_.clear();
  for (std::jthread& thread : threads_) thread.request_stop();
}

void Placers::submit(std::size_t slot, Job job) {
  ++under_way_;
  if (threads_.empty()) {
    Status status = guarded(job);
    finished_.push_back({slot, std::move(status)});
    return;
  }
  const std::scoped_lock lock(mutex_);
  tasks_.push_back({slot, std::move(job)});
  queued_.notify_one();
}

std::vector<Placers::Finished> Placers::take(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait && under_way_ > 0) done_.wait(lock, [this] { return !finished_.empty(); });
  under_way_ -= finished_.size();
  return std::exchange(finished_, {});
}

void Placers::work(const std::stop_token& stop) {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!queued_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    Status status = guarded(task.job);
    const std::scoped_lock lock(mutex_);
    finished_.push_back({task.slot, std::move(status)});
    done_.notify_one();
  }
}

}  // namespace loadstone::loader
