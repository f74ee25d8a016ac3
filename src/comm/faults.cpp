#include "comm/faults.hpp"

#include "core/checked.hpp"

#include <fmt/format.h>

#include <utility>

namespace loadstone::comm {
namespace {

constexpr int kLastTag = 32767;

[[noreturn]] void throw_bad_argument(std::string message) {
  throw Error(one_fault(Code::bad_argument, "comm.argument", std::move(message)));
}

}  // namespace

Failure one_fault(Code code, std::string kind, std::string message, std::string remedy) {
  return failure_of(
      Fault{.code = code, .kind = std::move(kind), .message = std::move(message), .remedy = std::move(remedy)});
}

Failure comm_failure(std::string kind, std::string message, std::string remedy) {
  return one_fault(Code::comm, std::move(kind), std::move(message), std::move(remedy));
}

void check_peer_and_tag(const Communicator& comm, int peer, int tag) {
  if (peer < 0 || peer >= comm.size())
    throw_bad_argument(fmt::format("there is no rank {} among {}", peer, comm.size()));
  if (tag < 0 || tag > kLastTag) throw_bad_argument(fmt::format("tag {} is outside [0, {}]", tag, kLastTag));
}

void check_counts(const Communicator& comm, std::size_t mine, std::size_t all, std::span<const std::int64_t> counts) {
  if (std::cmp_not_equal(counts.size(), comm.size()))
    throw_bad_argument(fmt::format("{} counts for {} ranks", counts.size(), comm.size()));
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) {
    const auto next = count < 0 ? std::nullopt : checked_add(sum, count);
    if (!next) throw_bad_argument("a count is negative, or their sum does not fit");
    sum = *next;
  }
  if (std::cmp_not_equal(mine, counts[static_cast<std::size_t>(comm.rank())]) || std::cmp_not_equal(all, sum))
    throw_bad_argument("the buffers do not fit the counts");
}

}  // namespace loadstone::comm
