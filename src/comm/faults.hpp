// The failures of this room, and the argument checks that all its communicators share.
#pragma once

#include <loadstone/communicator.hpp>
#include <loadstone/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace loadstone::comm {

Failure one_fault(Code code, std::string kind, std::string message, std::string remedy = {});
Failure comm_failure(std::string kind, std::string message, std::string remedy = {});

/// Error{bad_argument} unless `peer` is a rank of `comm` and `tag` in [0, 32767].
void check_peer_and_tag(const Communicator& comm, int peer, int tag);
/// Error{bad_argument} unless there is one count a rank, `mine` fits this rank's and `all` their sum.
void check_counts(const Communicator& comm, std::size_t mine, std::size_t all, std::span<const std::int64_t> counts);

}  // namespace loadstone::comm
