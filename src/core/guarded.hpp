// Exceptions as values, and memory that is asked for again: what lets a rank keep its place among the others.
#pragma once

#include "core/status.hpp"

#include <chrono>
#include <new>
#include <system_error>
#include <thread>

namespace loadstone {

/// The exception that is being handled: bad_alloc is out_of_memory, a refused thread too, the rest internal.
Status status_of_current_exception();
/// What bad_alloc becomes.
Fault out_of_memory_fault();
/// What the system refused, by its errno: out_of_memory where a thread or memory was, else io.
Fault system_fault(const std::system_error& error);

/// Runs a step that may throw and turns what it throws into a status.
template <class Step>
Status guarded(const Step& step) {
  try {
    return step();
  } catch (...) {
    return status_of_current_exception();
  }
}

/// The same for a step that gives nothing back.
template <class Step>
Status guarded_action(const Step& step) {
  return guarded([&]() -> Status {
    step();
    return {};
  });
}

/// For the few small pieces of memory without which a rank cannot even take part in the next collective call: asks
/// again for a second before it gives up, as giving up costs all ranks their communicator.
template <class Make>
auto patiently(const Make& make) {
  constexpr int kTries = 200;
  constexpr std::chrono::milliseconds kPause{5};
  for (int attempt = 1; attempt < kTries; ++attempt) {
    try {
      return make();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kPause);
    }
  }
  return make();
}

}  // namespace loadstone
