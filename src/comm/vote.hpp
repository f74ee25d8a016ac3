// A rank's outcome of a phase as one number, so that one reduction finds the worst (reliability.md A3).
#pragma once

#include "core/status.hpp"

#include <cstdint>

namespace loadstone::comm {

/// Kind of the fault of a rank that stopped because a peer failed.
inline constexpr const char* kPeerFailed = "peer.failed";

enum class Severity : std::int64_t { none, peer_failed, cancelled, error, broken };
Severity severity_of(const Status& status);

/// 0 if well, else severity x 2^48 + code x 2^32 + (2^31 - 1 - rank): the greatest is the worst severity, then the
/// highest code, then the lowest rank.
std::int64_t vote_of(const Status& status, int rank);
Severity severity_of(std::int64_t vote);
Code code_of(std::int64_t vote);
int rank_of(std::int64_t vote);

}  // namespace loadstone::comm
