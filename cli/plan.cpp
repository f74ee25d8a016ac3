// loadstone plan: which rank would read which bytes. Starts no ranks and reads headers only.
#include "cli/commands.hpp"
#include "cli/dataset_report.hpp"
#include "cli/options.hpp"

#include <loadstone/load.hpp>

namespace loadstone::cli {

Report run_plan(const Arguments& arguments, const Context& context) {
  const LoadOptions options = load_options(arguments);
  const std::int64_t ranks = rank_count(arguments, context.comm->size());
  const std::optional<std::int64_t> rank = only_rank(arguments, ranks);
  const Dataset dataset = open(arguments.paths, options.open, context.comm);
  const LoadPlan planned = make_plan(dataset, options, ranks, rank);
  if (!context.speaks()) return {};
  Report report;
  report.warnings = dataset.warnings;
  if (arguments.json) {
    report.parts.emplace_back("plan", planned.to_json());
  } else {
    report.text = dataset_line(dataset) + "\n" + planned.to_text();
  }
  return report;
}

}  // namespace loadstone::cli
