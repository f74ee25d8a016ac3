#include "watched.hpp"

#include <loadstone/error.hpp>

#include <chrono>
#include <thread>
#include <utility>

#include "released.hpp"

namespace loadstone::python {

namespace nb = nanobind;

namespace {

// Soon enough for a person who pressed Ctrl-C, seldom enough to cost nothing.
constexpr std::chrono::milliseconds kLookForSignals{50};

bool is_cancelled(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.code() == Code::cancelled;
  } catch (...) {
    return false;
  }
  return false;
}

}  // namespace

std::function<void(const Progress&)> Watch::sink() {
  return [this](const Progress& progress) { tell(progress); };
}

void Watch::run(RunOn where, const std::function<void()>& work) {
  where_ = where;
  done_ = false;
  failure_ = nullptr;
  {
    const Released released;
    const std::stop_callback at_end(end_of_interpreter(), [this] { stop_.request_stop(); });
    if (where == RunOn::calling_thread) {
      attempt(work);
    } else {
      const std::jthread worker([&] { attempt(work); });
      wait_for_end();
    }
  }
  if (!raised_) call_progress();
  finish();
}

void Watch::attempt(const std::function<void()>& work) noexcept {
  try {
    work();
  } catch (...) {
    failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_one();
}

void Watch::wait_for_end() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    if (changed_.wait_for(lock, kLookForSignals, [&] { return done_; })) return;
    lock.unlock();
    poll();
    lock.lock();
  }
}

void Watch::tell(const Progress& progress) {
  {
    const std::lock_guard lock(mutex_);
    news_ = progress;
  }
  if (where_ == RunOn::calling_thread) poll();
}

// Both are called with the interpreter lock released; an exception is kept until the work has stopped.
void Watch::poll() {
  if (raised_) return;
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) {
    raised_.emplace();
    stop_.request_stop();
  } else {
    call_progress();
  }
}

void Watch::call_progress() {
  std::optional<Progress> news;
  {
    const std::lock_guard lock(mutex_);
    news = std::exchange(news_, std::nullopt);
  }
  if (!news || progress_.is_none()) return;
  try {
    progress_(*news);
  } catch (nb::python_error& error) {
    raised_.emplace(std::move(error));
    stop_.request_stop();
  }
}

void Watch::finish() {
  if (raised_) {
    nb::python_error raised = std::move(*raised_);
    raised_.reset();
    const bool interrupted = raised.matches(PyExc_KeyboardInterrupt);
    if (!interrupted || !is_cancelled(failure_)) throw raised;
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace loadstone::python
