// The walk: discover, plan, allocate, read, verify, publish. Each step is a function whose name is the step.
#include <fmt/format.h>
#include <sys/resource.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "array/tile_memory.hpp"
#include "core/checked.hpp"
#include "core/interrupt.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/carrier.hpp"
#include "loader/discover.hpp"
#include "loader/notices.hpp"
#include "loader/options_text.hpp"
#include "loader/session.hpp"
#include "loader/totals.hpp"

namespace loadstone {
namespace {

using loader::Session;

/// User and system time of this process.
double cpu_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Seconds of each step, in the order of the walk. Asks for no memory until the end.
class StepTimes {
 public:
  void end(const char* step) {
    const double now = steady_seconds();
    steps_[count_++] = {step, now - last_};
    last_ = now;
  }
  void add_to(LoadStats& stats) const {
    const auto steps = std::span(steps_).first(count_);
    for (const auto& [step, seconds] : steps) stats.seconds_by_step.try_emplace(step);  // what is refused adds nothing
    for (const auto& [step, seconds] : steps) stats.seconds_by_step[step] += seconds;
    stats.seconds = steady_seconds() - start_;
    stats.cpu_seconds = cpu_seconds() - cpu_start_;
  }

 private:
  std::array<std::pair<const char*, double>, 8> steps_{};
  std::size_t count_ = 0;
  double start_ = steady_seconds();
  double last_ = start_;
  double cpu_start_ = cpu_seconds();
};

// The plan of so many takes a second and a few hundred MB.
constexpr std::int64_t kMostRanksAtOnce = std::int64_t{1} << 20;

Fault too_many_ranks(std::int64_t ranks) {
  return {.code = Code::bad_argument,
          .kind = "plan.ranks",
          .message = fmt::format("a plan of all of {} ranks; at most {} are planned at once", grouped(ranks),
                                 grouped(kMostRanksAtOnce)),
          .remedy = "Set " + named(Option::rank) + " to plan one of them",
          .item = "ranks",
          .wanted = kMostRanksAtOnce,
          .got = ranks};
}

DistributedArray carry_out(Session& session, const Dataset& dataset, const LoadOptions& options, const CommPtr& comm,
                           StepTimes& times) {
  loader::Carrier carrier(session, dataset, options);
  carrier.plan(comm->size());
  times.end("plan");
  carrier.allocate();
  times.end("allocate");
  carrier.read();
  times.end("read");
  carrier.verify();
  times.end("verify");
  DistributedArray array = carrier.publish(comm);
  patiently([&] { times.add_to(array.stats); });
  loader::announce(array.stats.fallbacks, options.log);
  return array;
}

}  // namespace

DistributedArray load(const Paths& paths, const LoadOptions& options, const CommPtr& comm) {
  StepTimes times;
  Session session(comm, patiently([&] { return loader::session_options(options); }));
  session.compare("the options", "arguments", [&] { return loader::options_text(options); });
  const OpenOptions open = patiently([&] { return session.with_roots(options.open); });
  auto dataset = loader::discover(paths, open, options.dtype, session.agreement());
  if (!dataset.ok()) session.fail(std::move(dataset).status());
  times.end("discover");
  DistributedArray array = carry_out(session, *dataset, options, comm, times);
  array.warnings = std::move(dataset->warnings);
  return array;
}

DistributedArray load(const Dataset& dataset, const LoadOptions& options, const CommPtr& comm) {
  StepTimes times;
  Session session(comm, patiently([&] { return loader::session_options(options); }));
  session.compare("the dataset and options", "arguments",
                  [&] { return loader::options_text(options) + dataset.digest; });
  times.end("discover");
  return carry_out(session, dataset, options, comm, times);
}

LoadPlan make_plan(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks,
                   std::optional<std::int64_t> only_rank) {
  if (!only_rank && ranks > kMostRanksAtOnce) throw_if_failed(too_many_ranks(ranks));
  const auto settings = value_or_throw(loader::make_settings(options.io, options.budget_bytes, options.deadline_s,
                                                             options.identity, options.open.roots, 1));
  const plan::Problem problem = value_or_throw(loader::make_problem(dataset, options, ranks, settings));
  const plan::Budgeting budgeting = value_or_throw(plan::fit_budget(problem));
  return plan::explain(problem, budgeting, only_rank);
}

void refuse(const Error& error, const CommPtr& comm) {
  Failure failure = error.failure();
  const loader::Session session(comm, {}, Status(std::move(failure)));
  throw error;  // not reached: the verdict throws on every rank
}

LoadStats total(const LoadStats& stats, const CommPtr& comm) { return loader::total_over_ranks(stats, comm); }

}  // namespace loadstone
