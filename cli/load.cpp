// loadstone load: loads into tiles on all ranks, checks, and says how it went.
#include "cli/commands.hpp"
#include "cli/dataset_report.hpp"
#include "cli/options.hpp"
#include "cli/stats_report.hpp"
#include "core/interrupt.hpp"
#include "core/json_writer.hpp"

#include <loadstone/load.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace loadstone::cli {
namespace {

struct Loaded {
  std::vector<std::string> notes;
  Dataset dataset;
  DistributedArray array;
};

/// The dataset is opened first: its warnings are part of the report, and opening counts as time.
Loaded open_and_load(const Arguments& arguments, const Context& context) {
  LoadOptions options = load_options(arguments);
  options.stop = context.stop;
  options.progress = context.progress();
  std::vector<std::string> notes;
  options.log = [&](const std::string& note) { notes.push_back(note); };
  const double start = steady_seconds();
  Dataset dataset = open(arguments.paths, options.open, context.comm);
  const double opened = steady_seconds() - start;
  DistributedArray array = load(dataset, options, context.comm);
  array.stats.seconds += opened;
  array.stats.seconds_by_step["discover"] += opened;
  return {std::move(notes), std::move(dataset), std::move(array)};
}

std::string layout_text(const DistributedArray& array) {
  return fmt::format("loaded as {} {}, {} on {} ({})\n", array.distribution().to_string(), array.dtype().name(),
                     format_bytes(array.nbytes()),
                     array.comm()->size() == 1 ? "1 rank" : fmt::format("{} ranks", array.comm()->size()),
                     array.comm()->description());
}

std::string tile_lines(const DistributedArray& array) {
  std::string text;
  for (std::int64_t rank = 0; rank < array.distribution().ranks(); ++rank) {
    const Box box = array.distribution().box(rank);
    text +=
        fmt::format("  rank {:<5} {}  {}\n", rank, to_string(box), format_bytes(elements_of(box) * array.itemsize()));
  }
  return text;
}

std::string json_text(const std::string& text) {
  JsonWriter json;
  json.value(std::string_view(text));
  return json.take();
}

}  // namespace

/// What was asked to be verified and could not be: said, not passed over (DS58).
std::optional<Fault> unverified(const Arguments& arguments, const LoadStats& totals) {
  if (!arguments.verify || totals.unverified_bytes == 0) return std::nullopt;
  return Fault{
      .code = Code::mismatch,
      .kind = "verify.unverified",
      .message = fmt::format("{} of {} bytes were not verified: no manifest has a sum of their shards, or only parts "
                             "of shards were read",
                             totals.unverified_bytes, totals.bytes_wanted),
      .remedy = "Record sums with loadstone verify --write-manifest, and load whole shards"};
}

Report run_load(const Arguments& arguments, const Context& context) {
  const Loaded loaded = open_and_load(arguments, context);
  const StatsOverRanks stats = gather_stats(loaded.array.stats, context.comm, patience(arguments));
  const std::string digest = arguments.digest ? loaded.array.digest() : "";
  if (!context.speaks()) return {};
  Report report;
  report.notes = loaded.notes;
  report.warnings = loaded.dataset.warnings;
  if (auto warning = unverified(arguments, stats.total)) report.warnings.push_back(std::move(*warning));
  if (arguments.json) {
    report.parts.emplace_back("stats", stats_json(stats));
    if (arguments.digest) report.parts.emplace_back("digest", json_text(digest));
    return report;
  }
  report.text = dataset_line(loaded.dataset) + "\n" + layout_text(loaded.array);
  if (arguments.verbose) report.text += tile_lines(loaded.array);
  report.text += stats_text(stats, arguments.stats);
  if (arguments.digest) report.text += "digest " + digest + "\n";
  return report;
}

}  // namespace loadstone::cli
