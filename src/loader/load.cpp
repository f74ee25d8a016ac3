// The walk: discover, plan, allocate, read, verify, publish. Each step is a function whose name is the step.
#include <fmt/format.h>
#include <sys/resource.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <utility>

#include "array/tile_memory.hpp"
#include "core/checked.hpp"
#include "core/interrupt.hpp"
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

/// Seconds of each step, in the order of the walk.
class StepTimes {
 public:
  explicit StepTimes(LoadStats& stats)
      : stats_(&stats), start_(steady_seconds()), last_(start_), cpu_start_(cpu_seconds()) {}
  void end(const char* step) {
    const double now = steady_seconds();
    stats_->seconds_by_step[step] += now - last_;
    last_ = now;
  }
  void finish() {
    stats_->seconds = steady_seconds() - start_;
    stats_->cpu_seconds = cpu_seconds() - cpu_start_;
  }

 private:
  LoadStats* stats_;
  double start_;
  double last_;
  double cpu_start_;
};

DistributedArray carry_out(Session& session, const Dataset& dataset, const LoadOptions& options, const CommPtr& comm,
                           LoadStats& stats, StepTimes& times) {
  loader::Carrier carrier(session, dataset, options);
  carrier.plan(comm->size());
  times.end("plan");
  carrier.allocate();
  times.end("allocate");
  carrier.read();
  times.end("read");
  carrier.verify();
  times.end("verify");
  DistributedArray array = carrier.publish(comm, stats);
  times.finish();
  array.stats = stats;
  loader::announce(stats.fallbacks, options.log);
  return array;
}

}  // namespace

DistributedArray load(const Paths& paths, const LoadOptions& options, const CommPtr& comm) {
  LoadStats stats;
  StepTimes times(stats);
  Session session(comm, loader::session_options(options));
  if (Status same = session.agreement().same_everywhere("the options", loader::options_text(options)); !same.ok()) {
    session.fail(std::move(same));
  }
  auto dataset = loader::discover(paths, session.with_roots(options.open), options.dtype, session.agreement());
  if (!dataset.ok()) session.fail(std::move(dataset).status());
  times.end("discover");
  return carry_out(session, *dataset, options, comm, stats, times);
}

DistributedArray load(const Dataset& dataset, const LoadOptions& options, const CommPtr& comm) {
  LoadStats stats;
  StepTimes times(stats);
  Session session(comm, loader::session_options(options));
  const std::string text = loader::options_text(options) + dataset.digest;
  if (Status same = session.agreement().same_everywhere("the dataset and options", text); !same.ok()) {
    session.fail(std::move(same));
  }
  times.end("discover");
  return carry_out(session, dataset, options, comm, stats, times);
}

LoadPlan make_plan(const Dataset& dataset, const LoadOptions& options, std::int64_t ranks,
                   std::optional<std::int64_t> only_rank) {
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
