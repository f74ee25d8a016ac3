#include "released.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace loadstone::python {

namespace nb = nanobind;

namespace {

// A call that does not stop by then, as one that waits for another rank, is left behind.
constexpr std::chrono::seconds kPatience{10};

struct Calls {
  std::mutex mutex;
  std::condition_variable fewer;
  std::int64_t outside = 0;  ///< of the lock
  bool ended = false;
  std::thread::id ending;  ///< who ended it
  pid_t process = 0;       ///< that these are the calls of: a forked one has none of its parent's threads
  std::stop_source stop;

  [[nodiscard]] bool is_over_for_this_thread() const { return ended && std::this_thread::get_id() != ending; }
};

/// Never destroyed: threads that nobody joins may come by at any time.
Calls& calls() {
  static auto* const all = std::make_unique<Calls>().release();
  return *all;
}

/// Called by Python, with the lock, before it takes anything apart.
void on_exit() {
  Calls& all = calls();
  if (all.process != ::getpid()) return;
  {
    const std::scoped_lock lock(all.mutex);
    all.ended = true;
    all.ending = std::this_thread::get_id();
    // What they hold cannot be given back any more: no leak of ours.
    if (all.outside > 0) nb::set_leak_warnings(false);
  }
  all.stop.request_stop();
  const nb::gil_scoped_release released;  // so that they can have it
  std::unique_lock lock(all.mutex);
  all.fewer.wait_for(lock, kPatience, [&] { return all.outside == 0; });
}

}  // namespace

/// Without the interpreter lock.
[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

Released::Released() {
  Calls& all = calls();
  std::unique_lock lock(all.mutex);
  if (!all.is_over_for_this_thread()) {
    if (all.ended) return;  // the ending thread keeps the lock
    ++all.outside;
    released_.emplace();
    return;
  }
  lock.unlock();
  nb::set_leak_warnings(false);  // what this thread holds is never given back
  released_.emplace();
  sleep_for_ever();
}

Released::~Released() {
  if (!released_) return;
  Calls& all = calls();
  std::unique_lock lock(all.mutex);
  if (!all.ended) {
    lock.unlock();
    released_.reset();  // waits for the interpreter lock
    lock.lock();
    if (all.ended) released_.emplace();  // meanwhile
  }
  --all.outside;
  all.fewer.notify_all();
  if (!all.ended) return;
  lock.unlock();
  sleep_for_ever();
}

std::stop_token end_of_interpreter() { return calls().stop.get_token(); }

void wait_at_exit() {
  calls().process = ::getpid();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&on_exit));
}

}  // namespace loadstone::python
