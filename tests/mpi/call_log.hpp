// What each rank called on each communicator, as text that travels, and where ranks differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadstone::test {

/// The collective calls of one rank on one communicator, in their order.
struct CallLog {
  std::string communicator;  ///< the same name on every rank of it
  std::vector<std::string> calls;
};

using RankLogs = std::vector<CallLog>;  ///< of one rank, in the order in which it got its communicators

/// Calls and names are single lines.
std::string to_text(const RankLogs& logs);
RankLogs from_text(std::string_view text);

/// Names the first call on a communicator that two of its ranks did not both make, and what each of them called
/// instead. Empty if there is none.
std::string first_difference(const std::vector<RankLogs>& by_rank);

}  // namespace loadstone::test
