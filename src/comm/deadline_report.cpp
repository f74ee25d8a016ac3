#include "comm/deadline_report.hpp"

#include "comm/abandon.hpp"
#include "comm/backoff.hpp"

#include <loadstone/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <set>
#include <utility>

namespace loadstone::comm {
namespace {

constexpr int kReportTag = 28000;
constexpr double kCollectSeconds = 2;

/// A message to or from a peer; `done` once it went through.
struct Message {
  int peer = 0;
  bool is_receive = false;
  bool done = false;
  std::shared_ptr<std::byte> byte = std::make_shared<std::byte>();
  std::unique_ptr<CommRequest> request;
};

void write_line(const std::string& line) {
  const std::string whole = "loadstone: " + line + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
  std::fflush(stderr);
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

std::string own_line(const Communicator& comm, const Stuck& stuck) {
  const std::string round = stuck.round < 0 ? std::string() : fmt::format(", round {}", stuck.round);
  return fmt::format("rank {} of {} on {}, pid {}: no answer for {:g} s in phase {}{}: {}", comm.rank(), comm.size(),
                     host_name(), getpid(), stuck.seconds, stuck.phase.empty() ? "none" : stuck.phase, round,
                     stuck.what);
}

std::set<int> collectors(int ranks) { return {0, ranks / 2, ranks - 1}; }

/// Posts the sign of life to the collectors and, on one, the receives of everybody else's.
std::vector<Message> post_all(Communicator& comm) {
  std::vector<Message> messages;
  const std::set<int> to = collectors(comm.size());
  for (const int rank : to) {
    if (rank == comm.rank()) continue;
    Message& message = messages.emplace_back();
    message.request = comm.isend({message.byte.get(), 1}, rank, kReportTag);
  }
  if (!to.contains(comm.rank())) return messages;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) continue;
    Message& message = messages.emplace_back();
    message.peer = rank;
    message.is_receive = true;
    message.request = comm.irecv({message.byte.get(), 1}, rank, kReportTag);
  }
  return messages;
}

bool all_done(std::vector<Message>& messages) {
  bool done = true;
  for (Message& message : messages) {
    message.done = message.done || message.request->test();
    done = done && message.done;
  }
  return done;
}

std::vector<Message> exchange_signs(Communicator& comm, const Clock& clock) {
  std::vector<Message> messages;
  try {
    messages = post_all(comm);
    Backoff backoff;
    const double start = clock();
    while (!all_done(messages) && clock() - start <= kCollectSeconds) backoff.pause();
  } catch (const std::exception& error) {
    write_line(fmt::format("rank {}: {}", comm.rank(), error.what()));
  }
  return messages;
}

}  // namespace

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

std::vector<int> report_deadline(const std::shared_ptr<Communicator>& comm, const Clock& clock, const Stuck& stuck) {
  write_line(own_line(*comm, stuck));
  std::vector<int> missing;
  for (Message& message : exchange_signs(*comm, clock)) {
    if (message.is_receive && !message.done) missing.push_back(message.peer);
    let_go(std::move(message.request), message.byte);
  }
  if (!missing.empty()) write_line(fmt::format("rank {}: no sign of life from {}", comm->rank(), ranks_text(missing)));
  return missing;
}

}  // namespace loadstone::comm
