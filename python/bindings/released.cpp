#include "released.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

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
  std::stop_source stop;
};

/// Never destroyed: threads that nobody joins may come by at any time.
Calls& calls() {
  static auto* const all = std::make_unique<Calls>().release();
  return *all;
}

/// Called by Python, with the lock, before it takes anything apart.
void on_exit() {
  Calls& all = calls();
  {
    const std::scoped_lock lock(all.mutex);
    all.ended = true;
    // What they hold cannot be given back any more: no leak of ours.
    if (all.outside > 0) nb::set_leak_warnings(false);
  }
  all.stop.request_stop();
  const nb::gil_scoped_release released;  // so that they can have it
  std::unique_lock lock(all.mutex);
  all.fewer.wait_for(lock, kPatience, [&] { return all.outside == 0; });
}

}  // namespace

Released::Released() {
  Calls& all = calls();
  const std::scoped_lock lock(all.mutex);
  if (all.ended) return;
  ++all.outside;
  released_.emplace();
}

Released::~Released() {
  if (!released_) return;
  released_.reset();  // waits for the lock
  Calls& all = calls();
  const std::scoped_lock lock(all.mutex);
  --all.outside;
  all.fewer.notify_all();
}

std::stop_token end_of_interpreter() { return calls().stop.get_token(); }

void wait_at_exit() { nb::module_::import_("atexit").attr("register")(nb::cpp_function(&on_exit)); }

}  // namespace loadstone::python
