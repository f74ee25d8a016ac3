// loadstone inspect: what a dataset is.
#include "cli/commands.hpp"
#include "cli/dataset_report.hpp"
#include "cli/options.hpp"

#include <loadstone/load.hpp>

namespace loadstone::cli {

Report run_inspect(const Arguments& arguments, const Context& context) {
  const Dataset dataset = open(arguments.paths, open_options(arguments), context.comm);
  if (!context.speaks()) return {};
  Report report;
  report.warnings = dataset.warnings;
  if (arguments.json) {
    report.parts.emplace_back("dataset", dataset_json(dataset));
  } else {
    report.text = dataset_text(dataset, arguments.list);
  }
  return report;
}

}  // namespace loadstone::cli
