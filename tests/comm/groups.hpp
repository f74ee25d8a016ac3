// What the suites of communicators share: ways to run a body on ranks, and small helpers.
#pragma once

#include "comm/agree.hpp"

#include <loadstone/communicator.hpp>
#include <loadstone/error.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace loadstone::test {

using CommBody = std::function<void(const std::shared_ptr<Communicator>&)>;

/// A way to run a body on a number of ranks.
struct Group {
  std::string name;
  int ranks = 1;
  std::function<void(const CommBody&)> run;
};

inline std::ostream& operator<<(std::ostream& out, const Group& group) {
  return out << group.name << " on " << group.ranks;
}

inline std::string group_name(const testing::TestParamInfo<Group>& info) {
  return info.param.name + std::to_string(info.param.ranks);
}

inline Group threads_group(int ranks) {
  return {"threads", ranks, [ranks](const CommBody& body) { run_threads(ranks, body); }};
}

inline void finish(CommRequest& request) {
  throw_if_failed(comm::wait(request, Interrupt{.stop = {}, .deadline_s = 60, .clock = steady_seconds}, "a test"));
}

inline void finish(const std::unique_ptr<CommRequest>& request) { finish(*request); }

/// `nbytes` bytes that tell who sent them and where each belongs.
inline std::vector<std::byte> pattern(std::size_t nbytes, int rank) {
  std::vector<std::byte> bytes(nbytes);
  for (std::size_t i = 0; i < nbytes; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + i / 251 + static_cast<std::size_t>(rank) * 7 + 1) & 0xff);
  return bytes;
}

inline std::int64_t sum_of(Communicator& comm, std::int64_t value) {
  finish(comm.iallreduce({&value, 1}, Reduce::sum));
  return value;
}

}  // namespace loadstone::test
