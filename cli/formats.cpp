// loadstone formats: what can be read here.
#include "cli/capability_report.hpp"
#include "cli/commands.hpp"

namespace loadstone::cli {

Report run_formats(const Arguments& arguments, const Context& /*context*/) {
  Report report;
  const std::vector<Capability> rows = known_formats();
  if (arguments.json) {
    report.parts.emplace_back("formats", capability_json(rows));
  } else {
    report.text = capability_text("formats", rows);
  }
  return report;
}

}  // namespace loadstone::cli
