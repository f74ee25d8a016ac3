// What a rank says when a wait has passed its deadline, and who else is still there to say so (reliability.md A9).
#pragma once

#include "core/interrupt.hpp"

#include <loadstone/communicator.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loadstone::comm {

/// Where a wait got stuck.
struct Stuck {
  std::string phase;
  std::int64_t round = -1;
  std::string what;
  double seconds = 0;
};

/// Writes one line about this rank to standard error and tells the collectors (ranks 0, P/2, P-1) that it lives. A
/// collector waits up to 2 s for the others, writes who is missing, and returns them; other ranks return none, once a
/// collector has written or 4 s have passed: a launcher that sees one rank end ends the others before they could.
std::vector<int> report_deadline(const std::shared_ptr<Communicator>& comm, const Clock& clock, const Stuck& stuck);

/// "rank 1", "ranks 1, 3".
std::string ranks_text(const std::vector<int>& ranks);

}  // namespace loadstone::comm
