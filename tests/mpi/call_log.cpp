#include "mpi/call_log.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace loadstone::test {
namespace {

constexpr char kCommunicator = '=';
constexpr char kCall = '-';

std::string call_at(const CallLog& log, std::size_t at) {
  return at < log.calls.size() ? "called " + log.calls[at] : "called nothing more";
}

std::string difference_of(const CallLog& a, std::size_t rank_a, const CallLog& b, std::size_t rank_b) {
  const auto [in_a, in_b] = std::mismatch(a.calls.begin(), a.calls.end(), b.calls.begin(), b.calls.end());
  if (in_a == a.calls.end() && in_b == b.calls.end()) return {};
  const auto at = static_cast<std::size_t>(std::distance(a.calls.begin(), in_a));
  return "call " + std::to_string(at) + " on communicator " + a.communicator + " differs: rank " +
         std::to_string(rank_a) + " " + call_at(a, at) + ", rank " + std::to_string(rank_b) + " " + call_at(b, at);
}

const CallLog* find(const RankLogs& logs, const std::string& communicator) {
  const auto found =
      std::find_if(logs.begin(), logs.end(), [&](const CallLog& log) { return log.communicator == communicator; });
  return found == logs.end() ? nullptr : &*found;
}

/// A rank without the communicator is no member of it, or took no part in the call on its parent that made it.
std::string difference_from_later_ranks(const CallLog& log, std::size_t rank, const std::vector<RankLogs>& by_rank) {
  for (std::size_t other = rank + 1; other < by_rank.size(); ++other) {
    const CallLog* const theirs = find(by_rank[other], log.communicator);
    if (theirs == nullptr) continue;
    if (std::string told = difference_of(log, rank, *theirs, other); !told.empty()) return told;
  }
  return {};
}

}  // namespace

std::string to_text(const RankLogs& logs) {
  std::string text;
  for (const CallLog& log : logs) {
    text += kCommunicator + log.communicator + "\n";
    for (const std::string& call : log.calls) text += kCall + call + "\n";
  }
  return text;
}

RankLogs from_text(std::string_view text) {
  RankLogs logs;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.front() == kCommunicator) {
      logs.push_back({std::string(line.substr(1)), {}});
    } else {
      logs.back().calls.emplace_back(line.substr(1));
    }
    text.remove_prefix(line.size() + 1);
  }
  return logs;
}

std::string first_difference(const std::vector<RankLogs>& by_rank) {
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    for (const CallLog& log : by_rank[rank]) {
      if (std::string told = difference_from_later_ranks(log, rank, by_rank); !told.empty()) return told;
    }
  }
  return {};
}

}  // namespace loadstone::test
