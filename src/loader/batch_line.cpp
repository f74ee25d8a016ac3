#include "loader/batch_line.hpp"

#include <chrono>
#include <utility>

namespace loadstone::loader {
namespace {

constexpr std::chrono::milliseconds kProgressEvery{50};

}  // namespace

void BatchLine::put(Ready batch) {
  const std::scoped_lock lock(mutex_);
  ready_.push_back(std::move(batch));
  changed_.notify_one();
}

void BatchLine::put_failure(Status failure) {
  const std::scoped_lock lock(mutex_);
  failure_ = std::move(failure);
  changed_.notify_one();
}

void BatchLine::tell(std::int64_t number, const Progress& progress) {
  const std::scoped_lock lock(mutex_);
  told_[number] = progress;
}

Result<BatchLine::Ready> BatchLine::take(std::int64_t number, const std::function<void(const Progress&)>& progress) {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto there = [this] { return !ready_.empty() || !failure_.ok(); };
    changed_.wait_for(lock, kProgressEvery, there);
    if (auto told = told_.extract(number); !told.empty() && progress) {
      lock.unlock();  // the caller's function may take its time
      progress(told.mapped());
      lock.lock();
      continue;
    }
    if (ready_.empty() && failure_.ok()) continue;
    if (ready_.empty()) return std::exchange(failure_, Status());
    Ready batch = std::move(ready_.front());
    ready_.pop_front();
    return batch;
  }
}

}  // namespace loadstone::loader
