// Polling a request until it is done, with something to watch between polls.
#pragma once

#include "comm/backoff.hpp"
#include "comm/faults.hpp"
#include "core/interrupt.hpp"
#include "core/status.hpp"

#include <loadstone/communicator.hpp>

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>

namespace loadstone::comm {

inline Failure deadline_failure(double seconds, std::string_view what) {
  return one_fault(Code::deadline, "comm.deadline", fmt::format("no answer for {:g} s: {}", seconds, what),
                   "See which rank stopped and why, or raise the deadline.");
}

/// One poll: done or not, or the failure of the transport.
inline Result<bool> poll_once(CommRequest& request) {
  try {
    return request.test();
  } catch (const Error& error) {
    return Failure(error.failure());
  } catch (const std::exception& error) {
    return comm_failure("comm.transport", error.what());
  }
}

/// Polls until done, the deadline, or until `watch()` fails; the request may then be unfinished.
template <class Watch>
Status poll(CommRequest& request, const Interrupt& interrupt, std::string_view what, const Watch& watch) {
  Backoff backoff;
  const double start = interrupt.clock();
  while (true) {
    Result<bool> done = poll_once(request);
    if (!done.ok()) return std::move(done).status();
    if (*done) return {};
    if (Status seen = watch(); !seen.ok()) return seen;
    if (interrupt.clock() - start > interrupt.deadline_s) return deadline_failure(interrupt.deadline_s, what);
    backoff.pause();
  }
}

}  // namespace loadstone::comm
