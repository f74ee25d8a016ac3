#include "cli/report.hpp"

#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>

namespace loadstone::cli {
namespace {

constexpr int kSchema = 1;
constexpr std::int64_t kShownPerKind = 20;
constexpr std::size_t kSentenceCharacters = 2000;

void write_faults(JsonWriter& json, const char* key, const std::vector<Fault>& faults) {
  json.key(key).begin_array();
  for (const Fault& fault : faults) write_fault(json, fault, Audience::command);
  json.end_array();
}

void write_failure(JsonWriter& json, const Failure& failure) {
  json.key("failure").begin_object();
  json.field("total_faults", failure.total_faults).field("phase", failure.phase);
  json.field("round", failure.round).field("rank", failure.rank);
  json.key("notes").begin_array();
  for (const std::string& note : failure.notes) json.value(note);
  json.end_array().end_object();
}

std::string label_of(const Fault& fault) {
  return fault.kind.empty() ? std::string(to_string(fault.code)) : fault.kind;
}

/// Lines of at most 20 faults a kind, and "+K more" after the last one shown of a kind that has more.
std::string lines_of(std::span<const Fault> faults, const char* label) {
  std::map<std::string, std::int64_t> totals;
  for (const Fault& fault : faults) ++totals[label_of(fault)];
  std::map<std::string, std::int64_t> shown;
  std::string text;
  for (const Fault& fault : faults) {
    const std::string kind = label_of(fault);
    const std::int64_t count = ++shown[kind];
    if (count > kShownPerKind) continue;
    text += fault_line(fault, label) + "\n";
    const std::int64_t more = totals[kind] - kShownPerKind;
    if (count == kShownPerKind && more > 0) text += fmt::format("{}: +{} more {}\n", label, grouped(more), kind);
  }
  return text;
}

/// "8 faults: 5 shard.truncated, 3 shard.dtype"
std::string totals_line(const Failure& failure) {
  std::map<std::string, std::int64_t> totals;
  std::vector<std::string> order;
  for (const Fault& fault : failure.faults) {
    if (++totals[label_of(fault)] == 1) order.push_back(label_of(fault));
  }
  std::vector<std::string> words;
  for (const std::string& kind : order) words.push_back(grouped(totals[kind]) + " " + kind);
  const auto kept = std::ssize(failure.faults);
  const std::int64_t all = failure.total_faults > kept ? failure.total_faults : kept;
  if (all > kept) words.push_back(grouped(all - kept) + " not kept");
  return fmt::format("{} faults: {}\n", grouped(all), joined(words));
}

/// Escaped, with a full stop at its end.
std::string sentence(const std::string& text) {
  std::string safe = escape(text, kSentenceCharacters);
  const bool ended = safe.empty() || safe.back() == '.' || safe.back() == '?' || safe.back() == '!';
  return ended ? safe : safe + ".";
}

/// "rank 2, phase read", where a single rank failed.
std::string place_of(const Failure& failure) {
  if (failure.rank < 0) return "";
  return fmt::format("rank {}{}{}", failure.rank, failure.phase.empty() ? "" : ", phase ", failure.phase);
}

}  // namespace

std::string json_document(const std::string& command, const Outcome& outcome) {
  JsonWriter json;
  json.begin_object();
  json.field("loadstone", kSchema).field("command", command).field("ok", outcome.exit_code == 0);
  write_faults(json, "warnings", outcome.report.warnings);
  write_faults(json, "faults", outcome.failure ? outcome.failure->faults : std::vector<Fault>{});
  if (outcome.failure) write_failure(json, *outcome.failure);
  for (const auto& [key, part] : outcome.report.parts) json.key(key).raw(part);
  json.end_object();
  return json.take() + "\n";
}

std::string fault_line(const Fault& fault, const char* label) {
  std::string line = fmt::format("{}: ", label);
  if (!fault.path.empty()) line += escape_path(fault.path) + ": ";
  line += sentence(fault.message);
  if (!fault.remedy.empty()) line += " " + sentence(fault.remedy.text(Audience::command));
  return line + fmt::format(" [{}]", label_of(fault));
}

std::string fault_text(const Outcome& outcome, bool quiet) {
  std::string text;
  if (!quiet) {
    for (const std::string& note : outcome.report.notes) text += "note: " + escape(note) + '\n';
    text += lines_of(outcome.report.warnings, "warning");
  }
  if (!outcome.failure) return text;
  const Failure& failure = *outcome.failure;
  text += lines_of(failure.faults, "error");
  if (const std::string place = place_of(failure); !place.empty()) text += "where: " + place + "\n";
  for (const std::string& note : failure.notes) text += "note: " + escape(note, kSentenceCharacters) + "\n";
  if (failure.faults.size() > 1 || failure.total_faults > 1) text += totals_line(failure);
  return text;
}

}  // namespace loadstone::cli
