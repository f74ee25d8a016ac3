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
  std::list<Task> task;
  task.push_back({slot, std::move(job), {}});
  ++under_way_;
  if (threads_.empty()) {
    task.front().status = guarded(task.front().job);
    finished_.splice(finished_.end(), task);
    return;
  }
  const std::scoped_lock lock(mutex_);
  tasks_.splice(tasks_.end(), task);
  queued_.notify_one();
}

std::list<Placers::Task> Placers::take(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait && under_way_ > 0) done_.wait(lock, [this] { return !finished_.empty(); });
  under_way_ -= finished_.size();
  return std::exchange(finished_, {});
}

void Placers::work(const std::stop_token& stop) {
  while (true) {
    std::list<Task> task;
    {
      std::unique_lock lock(mutex_);
      if (!queued_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
      task.splice(task.end(), tasks_, tasks_.begin());
    }
    task.front().status = guarded(task.front().job);
    const std::scoped_lock lock(mutex_);
    finished_.splice(finished_.end(), task);
    done_.notify_one();
  }
}

}  // namespace loadstone::loader
