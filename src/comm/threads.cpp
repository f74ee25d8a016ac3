#include "comm/board.hpp"
#include "comm/faults.hpp"

#include <loadstone/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <string_view>
#include <thread>

namespace loadstone {
namespace {

/// Whether an exception only says that another rank had left.
bool is_consequence(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error.failure().first().kind == comm::kRankLeft;
  } catch (...) {
    return false;
  }
}

void rethrow_lowest(const std::vector<std::exception_ptr>& thrown) {
  std::exception_ptr consequence;
  for (const std::exception_ptr& each : thrown) {
    if (!each) continue;
    if (!is_consequence(each)) std::rethrow_exception(each);
    if (!consequence) consequence = each;
  }
  if (consequence) std::rethrow_exception(consequence);
}

using Body = std::function<void(const std::shared_ptr<Communicator>&)>;

std::exception_ptr run_rank(const std::shared_ptr<comm::Board>& board, comm::Roster& roster, int rank,
                            const Body& body) {
  std::exception_ptr thrown;
  try {
    body(comm::board_communicator(board, rank, "threads"));
  } catch (...) {
    thrown = std::current_exception();
  }
  roster.leave(rank);
  return thrown;
}

}  // namespace

void run_threads(int ranks, const Body& body) {
  if (ranks < 1)
    throw Error(comm::one_fault(Code::bad_argument, "comm.argument", fmt::format("{} ranks were asked for", ranks)));
  const auto roster = std::make_shared<comm::Roster>(ranks);
  const auto board = std::make_shared<comm::Board>(roster);
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  threads.reserve(thrown.size());
  int started = 0;
  try {
    for (; started < ranks; ++started) {
      threads.emplace_back(
          [&, rank = started] { thrown[static_cast<std::size_t>(rank)] = run_rank(board, *roster, rank, body); });
    }
  } catch (...) {
    for (int rank = started; rank < ranks; ++rank) roster->leave(rank);
    throw;  // the ranks that did start see who never came, and are joined
  }
  threads.clear();
  rethrow_lowest(thrown);
}

}  // namespace loadstone
