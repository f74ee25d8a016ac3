// Operations that never end: what the transport may still write into must not go away.
#pragma once

#include <loadstone/communicator.hpp>

#include <memory>

namespace loadstone::comm {

/// Gives an operation up. If the transport may touch `buffers` later on, keeps both as long as the process lives; a
/// null or finished request is simply dropped.
void let_go(std::unique_ptr<CommRequest> request, std::shared_ptr<void> buffers) noexcept;

}  // namespace loadstone::comm
