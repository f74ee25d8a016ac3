#include "cli/stats_report.hpp"

#include "comm/agree.hpp"
#include "core/json_writer.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "loader/totals.hpp"

#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>

namespace loadstone::cli {
namespace {

/// The walk of a load; steps that are not in it come after.
constexpr std::array<std::string_view, 8> kWalk{"discover", "plan",   "allocate", "read",
                                                "wait",     "decode", "place",    "verify"};
constexpr double kShownSeconds = 0.0001;  ///< what a step must take on some rank to be worth a line
constexpr std::size_t kFigures = 3;       ///< bytes read, peak, seconds; then one a step
constexpr std::size_t kShownFiles = 10;   ///< those with the slowest requests; all are in the JSON
constexpr std::size_t kPathCharacters = 60;
constexpr std::size_t kWholePath = std::size_t{1} << 16;

std::size_t place_in_walk(std::string_view step) {
  return static_cast<std::size_t>(std::find(kWalk.begin(), kWalk.end(), step) - kWalk.begin());
}

std::vector<std::string> steps_of(const LoadStats& total) {
  std::vector<std::string> steps;
  for (const auto& [step, seconds] : total.seconds_by_step) steps.push_back(step);
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return place_in_walk(a) < place_in_walk(b); });
  return steps;
}

std::vector<double> figures_of(const LoadStats& stats, const std::vector<std::string>& steps) {
  std::vector<double> figures{static_cast<double>(stats.bytes_read), static_cast<double>(stats.peak_bytes),
                              stats.seconds};
  for (const std::string& step : steps) {
    const auto found = stats.seconds_by_step.find(step);
    figures.push_back(found == stats.seconds_by_step.end() ? 0 : found->second);
  }
  return figures;
}

/// Rank r's figures are at [r * mine.size(), (r + 1) * mine.size()).
std::vector<double> gather(const std::vector<double>& mine, comm::Agreement& agreement) {
  const comm::Gathered gathered = value_or_throw(agreement.allgather(std::as_bytes(std::span(mine)), "totals"));
  std::vector<double> all(gathered.bytes.size() / sizeof(double));
  std::memcpy(all.data(), gathered.bytes.data(), gathered.bytes.size());
  return all;
}

Spread column(const std::vector<double>& all, std::size_t width, std::size_t index) {
  std::vector<double> values;
  for (std::size_t i = index; i < all.size(); i += width) values.push_back(all[i]);
  return spread_of(std::move(values));
}

Spread rates(const std::vector<double>& all, std::size_t width) {
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); i += width) values.push_back(all[i + 2] > 0 ? all[i] / all[i + 2] : 0);
  return spread_of(std::move(values));
}

std::string bytes_of(double bytes) { return format_bytes(std::llround(bytes)); }

std::string row(std::string_view label, const std::array<std::string, 3>& cells, std::string_view note = "") {
  return fmt::format("  {:<12}{:>12}{:>12}{:>12}{}{}\n", label, cells[0], cells[1], cells[2], note.empty() ? "" : "  ",
                     note);
}

std::array<std::string, 3> byte_cells(const Spread& s) {
  return {bytes_of(s.least), bytes_of(s.middle), bytes_of(s.most)};
}

std::array<std::string, 3> number_cells(const Spread& s, double unit) {
  return {fmt::format("{:.4f}", s.least / unit), fmt::format("{:.4f}", s.middle / unit),
          fmt::format("{:.4f}", s.most / unit)};
}

std::string counts_text(const std::map<std::string, std::int64_t>& counts, bool in_bytes) {
  std::vector<std::string> words;
  for (const auto& [name, count] : counts) {
    if (count != 0) words.push_back(fmt::format("{} {}", name, in_bytes ? format_bytes(count) : grouped(count)));
  }
  return words.empty() ? "none" : joined(words);
}

double cpu_per_gigabyte(const LoadStats& total) {
  return total.bytes_read > 0 ? total.cpu_seconds / (1e-9 * static_cast<double>(total.bytes_read)) : 0;
}

std::string detail_text(const LoadStats& total) {
  std::string text =
      fmt::format("  wanted      {}, read {}, in place {}, staged {}\n", format_bytes(total.bytes_wanted),
                  format_bytes(total.bytes_read), format_bytes(total.bytes_in_place), format_bytes(total.bytes_staged));
  text += fmt::format("  ways        {}; backend {}\n", counts_text(total.bytes_by_way, true), total.backend);
  text += fmt::format("  windows     {}\n", counts_text(total.windows, false));
  text += fmt::format("  requests    {}, depth {}, short reads {}, retries {}, opens {}\n", grouped(total.requests),
                      total.depth, grouped(total.short_reads), grouped(total.retries), grouped(total.opens));
  text += fmt::format("  cpu         {:.4f} seconds, {:.3f} a GB\n", total.cpu_seconds, cpu_per_gigabyte(total));
  if (total.huge_page_bytes >= 0) text += fmt::format("  huge pages  {}\n", format_bytes(total.huge_page_bytes));
  text += fmt::format("  fallbacks   {}\n", counts_text(total.fallbacks, false));
  text += fmt::format("  peak by use {}\n", counts_text(total.peak_by_use, true));
  if (total.unverified_bytes > 0) text += fmt::format("  unverified  {}\n", format_bytes(total.unverified_bytes));
  return text;
}

std::string ways_text(const FileStats& file) {
  const std::map<std::string, std::int64_t> ways = {
      {"buffered", file.bytes_buffered}, {"direct", file.bytes_direct}, {"mapped", file.bytes_mapped}};
  return counts_text(ways, true);
}

std::string files_text(std::vector<FileStats> files) {
  std::ranges::stable_sort(files, std::ranges::greater(), &FileStats::slowest_seconds);
  const std::size_t shown = std::min(files.size(), kShownFiles);
  std::string text = fmt::format("  files       {} of {}, those with the slowest requests\n", shown, files.size());
  for (const FileStats& file : std::span(files).first(shown)) {
    text += fmt::format(
        "    {}: {}; in place {}, staged {}; requests {}, slowest {:.4f} seconds, short reads {}, "
        "retries {}, opens {}\n",
        escape_path(file.path, kPathCharacters), ways_text(file), format_bytes(file.bytes_in_place),
        format_bytes(file.bytes_staged), grouped(file.requests), file.slowest_seconds, grouped(file.short_reads),
        grouped(file.retries), grouped(file.opens));
    for (const std::string& reason : file.fallbacks) text += fmt::format("      {}\n", reason);
  }
  return text;
}

void write_file(JsonWriter& json, const FileStats& file) {
  // Escaped, so that names that are no UTF-8 stay distinct.
  json.begin_object().field("path", std::string_view(escape_path(file.path, kWholePath)));
  json.field("bytes_read", file.bytes_read);
  json.field("bytes_buffered", file.bytes_buffered).field("bytes_direct", file.bytes_direct);
  json.field("bytes_mapped", file.bytes_mapped).field("bytes_in_place", file.bytes_in_place);
  json.field("bytes_staged", file.bytes_staged).field("requests", file.requests);
  json.field("short_reads", file.short_reads).field("retries", file.retries).field("opens", file.opens);
  json.field("slowest_seconds", file.slowest_seconds).key("fallbacks").begin_array();
  for (const std::string& reason : file.fallbacks) json.value(std::string_view(reason));
  json.end_array().end_object();
}

template <class Map>
void write_map(JsonWriter& json, std::string_view key, const Map& map) {
  json.key(key).begin_object();
  for (const auto& [name, value] : map) json.field(name, value);
  json.end_object();
}

void write_spread(JsonWriter& json, std::string_view key, const Spread& spread) {
  json.key(key).begin_object();
  json.field("min", spread.least).field("median", spread.middle).field("max", spread.most).end_object();
}

void write_total(JsonWriter& json, const LoadStats& total) {
  json.field("bytes_wanted", total.bytes_wanted).field("bytes_read", total.bytes_read);
  json.field("bytes_in_place", total.bytes_in_place).field("bytes_staged", total.bytes_staged);
  write_map(json, "bytes_by_way", total.bytes_by_way);
  write_map(json, "seconds_by_step", total.seconds_by_step);
  write_map(json, "windows", total.windows);
  json.field("depth", total.depth).field("huge_page_bytes", total.huge_page_bytes);
  json.field("cpu_seconds", total.cpu_seconds);
  json.field("requests", total.requests).field("short_reads", total.short_reads).field("retries", total.retries);
  write_map(json, "fallbacks", total.fallbacks);
  json.field("opens", total.opens).field("unverified_bytes", total.unverified_bytes);
  json.field("budget_bytes", total.budget_bytes).field("peak_bytes", total.peak_bytes);
  write_map(json, "peak_by_use", total.peak_by_use);
  json.field("staging_bytes_new", total.staging_bytes_new);
  json.field("seconds", total.seconds).field("backend", std::string_view(total.backend));
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values.front(), (values[(n - 1) / 2] + values[n / 2]) / 2, values.back()};
}

StatsOverRanks gather_stats(const LoadStats& mine, const std::shared_ptr<Communicator>& comm,
                            const Interrupt& interrupt) {
  StatsOverRanks stats;
  stats.ranks = comm->size();
  stats.total = loader::total_over_ranks(mine, comm, interrupt);
  const std::vector<std::string> steps = steps_of(stats.total);
  const std::vector<double> figures = figures_of(mine, steps);
  comm::Agreement agreement(comm, interrupt);
  const std::vector<double> all = gather(figures, agreement);
  const std::size_t width = figures.size();
  stats.bytes_read = column(all, width, 0);
  stats.peak_bytes = column(all, width, 1);
  stats.seconds = column(all, width, 2);
  stats.bytes_per_second = rates(all, width);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    stats.seconds_by_step.emplace_back(steps[i], column(all, width, kFigures + i));
  }
  return stats;
}

std::string stats_text(const StatsOverRanks& stats, bool detail) {
  std::string text = row("over ranks", {"least", "median", "most"});
  text += row("read", byte_cells(stats.bytes_read));
  text += row("GB/s", number_cells(stats.bytes_per_second, 1e9));
  text += row("seconds", number_cells(stats.seconds, 1));
  for (const auto& [step, spread] : stats.seconds_by_step) {
    if (detail || spread.most >= kShownSeconds) text += row("  " + step, number_cells(spread, 1));
  }
  text += row("peak", byte_cells(stats.peak_bytes), "of " + format_bytes(stats.total.budget_bytes));
  if (detail) text += detail_text(stats.total);
  return stats.total.files.empty() ? text : text + files_text(stats.total.files);
}

std::string stats_json(const StatsOverRanks& stats) {
  JsonWriter json;
  json.begin_object().field("ranks", stats.ranks);
  write_total(json, stats.total);
  json.key("over_ranks").begin_object();
  write_spread(json, "bytes_read", stats.bytes_read);
  write_spread(json, "bytes_per_second", stats.bytes_per_second);
  write_spread(json, "peak_bytes", stats.peak_bytes);
  write_spread(json, "seconds", stats.seconds);
  json.key("seconds_by_step").begin_object();
  for (const auto& [step, spread] : stats.seconds_by_step) write_spread(json, step, spread);
  json.end_object().end_object();
  if (!stats.total.files.empty()) {
    json.key("files").begin_array();
    for (const FileStats& file : stats.total.files) write_file(json, file);
    json.end_array();
  }
  json.end_object();
  return json.take();
}

}  // namespace loadstone::cli
