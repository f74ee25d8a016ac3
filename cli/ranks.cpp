#include "cli/ranks.hpp"

#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "comm/agree.hpp"
#include "comm/modules.hpp"
#include "core/interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace loadstone::cli {
namespace {

/// An exit code is agreed on in no time, or a rank is gone.
constexpr double kAgreeSeconds = 30;

std::int64_t ranks_wanted(const Arguments& arguments, const Communicator& world) {
  if (world.size() == 1) return rank_count(arguments, 1);
  const std::int64_t wanted = rank_count(arguments, world.size());
  if (wanted != world.size()) {
    usage_error("usage.ranks", "--ranks",
                fmt::format("--ranks is {}, but the launcher started {}", wanted, world.size()),
                "Leave --ranks out, or start as many ranks as it says.");
  }
  return wanted;
}

/// A deadline that does not parse is a failure that was told already.
Interrupt brief_patience(const Arguments& arguments) {
  Interrupt interrupt;
  try {
    interrupt = patience(arguments);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
  }
  interrupt.deadline_s = std::min(interrupt.deadline_s, kAgreeSeconds);
  return interrupt;
}

Report on_threads(int ranks, const Arguments& arguments, const std::stop_token& stop,
                  const std::function<Report(const Context&)>& body) {
  const std::shared_ptr<ProgressLine> line = make_progress_line(arguments.quiet, ranks);
  Report report;
  run_threads(ranks, [&](const std::shared_ptr<Communicator>& comm) {
    Report mine = body({.comm = comm, .stop = stop, .line = line, .launched = false});
    if (comm->rank() == 0) report = std::move(mine);
  });
  return report;
}

}  // namespace

int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    const std::string_view digits = text;
    int rank = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error == std::errc{} && end == digits.data() + digits.size()) return rank;
  }
  return 0;
}

Report on_ranks(const Arguments& arguments, const std::shared_ptr<Communicator>& world, Crew crew,
                const std::stop_token& stop, const std::function<Report(const Context&)>& body) {
  const bool launched = world->size() > 1;
  if (crew == Crew::threads) {
    const std::int64_t ranks = ranks_wanted(arguments, *world);
    if (!launched && ranks > 1) return on_threads(static_cast<int>(ranks), arguments, stop, body);
  }
  const bool shows = world->rank() == 0;
  return body({.comm = world,
               .stop = stop,
               .line = shows ? make_progress_line(arguments.quiet, 1) : nullptr,
               .launched = launched});
}

Result<int> agreed_exit_code(const Arguments& arguments, const std::shared_ptr<Communicator>& world, int mine) {
  if (world->size() == 1 || mine == kLost) return mine;
  comm::Agreement agreement(world, brief_patience(arguments));
  std::array<std::int64_t, 1> worst{mine};
  if (Status status = agreement.allreduce(worst, Reduce::max); !status.ok()) return status;
  return static_cast<int>(worst[0]);
}

}  // namespace loadstone::cli
