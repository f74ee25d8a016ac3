// The ranks that carry a command out: those of a launcher, threads of this process, or this process alone.
#pragma once

#include "cli/commands.hpp"
#include "core/status.hpp"

#include <functional>
#include <memory>
#include <stop_token>

namespace loadstone::cli {

/// This process's number under a launcher, from its environment; 0 without one. Asked before MPI is started, so that
/// one process speaks even if that fails.
int launched_rank();

/// Runs `body` on every rank of the command's crew and returns rank 0's report.
/// @param world  of the launcher; one rank where there is none
/// Error{bad_argument} if --ranks is no number of ranks, or not the launcher's.
Report on_ranks(const Arguments& arguments, const std::shared_ptr<Communicator>& world, Crew crew,
                const std::stop_token& stop, const std::function<Report(const Context&)>& body);

/// The worst exit code of all processes that a launcher started, so that all exit alike. Collective over `world` unless
/// it is one rank, or `mine` says that it is lost. The failure of the ranks to agree, if they do not by the deadline.
Result<int> agreed_exit_code(const Arguments& arguments, const std::shared_ptr<Communicator>& world, int mine);

}  // namespace loadstone::cli
