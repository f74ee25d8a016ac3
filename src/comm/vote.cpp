#include "comm/vote.hpp"

#include <limits>

namespace loadstone::comm {
namespace {

constexpr std::int64_t kLastRank = std::numeric_limits<std::int32_t>::max();

}  // namespace

Severity severity_of(const Status& status) {
  if (status.ok()) return Severity::none;
  if (status.failure().first().kind == kPeerFailed) return Severity::peer_failed;
  if (status.code() == Code::cancelled) return Severity::cancelled;
  return status.code() == Code::comm ? Severity::broken : Severity::error;
}

std::int64_t vote_of(const Status& status, int rank) {
  if (status.ok()) return 0;
  const auto severity = static_cast<std::int64_t>(severity_of(status));
  return (severity << 48) + (static_cast<std::int64_t>(status.code()) << 32) + (kLastRank - rank);
}

Severity severity_of(std::int64_t vote) { return static_cast<Severity>(vote >> 48); }
Code code_of(std::int64_t vote) { return static_cast<Code>((vote >> 32) & 0xffff); }
int rank_of(std::int64_t vote) { return static_cast<int>(kLastRank - (vote & 0xffffffff)); }

}  // namespace loadstone::comm
