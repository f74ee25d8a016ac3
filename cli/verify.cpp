// loadstone verify: compares shards with the manifest, or records them in one.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <loadstone/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace loadstone::cli {
namespace {

constexpr std::size_t kPathCharacters = 4096;
constexpr std::size_t kShownNames = 20;

double bytes_per_second(const VerifyReport& done) {
  return done.seconds > 0 ? static_cast<double>(done.bytes_read) / done.seconds : 0;
}

std::string checked_text(const VerifyReport& done, bool structure_only) {
  if (done.against_manifest && !structure_only) {
    return fmt::format("{} of {} equal the manifest", grouped(done.shards_verified), counted(done.shards, "shard"));
  }
  return fmt::format("structure of {} only: {}", counted(done.shards, "shard"),
                     structure_only ? "no data was read" : "there is no manifest to compare content with");
}

/// "replacing generation 3: 2 changed, 1 new", where a manifest was there.
std::string replaced_text(const VerifyReport& done) {
  if (done.replaced_generation == 0) return "";
  std::vector<std::string> words;
  const auto say = [&](const std::vector<std::string>& names, const char* what) {
    if (!names.empty()) words.push_back(fmt::format("{} {}", grouped(std::ssize(names)), what));
  };
  say(done.changed, "changed");
  say(done.added, "new");
  say(done.dropped, "gone");
  return fmt::format(", replacing generation {}: {}", grouped(done.replaced_generation),
                     words.empty() ? "nothing changed" : joined(words));
}

std::string name_lines(const char* label, const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kShownNames);
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{:<11}{}\n", label, escape(names[i], kPathCharacters));
  }
  const auto more = static_cast<std::int64_t>(names.size() - shown);
  return more == 0 ? text : text + fmt::format("{:<11}+{} more\n", label, grouped(more));
}

std::string recorded_text(const VerifyReport& done) {
  const std::string text = fmt::format("recorded   {}{}\n", counted(done.shards, "shard"), replaced_text(done));
  return text + name_lines("changed", done.changed) + name_lines("new", done.added) + name_lines("gone", done.dropped);
}

std::string verify_text(const VerifyReport& done, bool structure_only) {
  const bool recorded = !done.manifest_written.empty();
  std::string text =
      recorded ? recorded_text(done) : fmt::format("verified   {}\n", checked_text(done, structure_only));
  text += fmt::format("read       {} in {:.3f} s, {:.2f} GB/s\n", format_bytes(done.bytes_read), done.seconds,
                      bytes_per_second(done) / 1e9);
  if (recorded) {
    text +=
        fmt::format("manifest   {}, generation {}\n", escape(done.manifest_written, kPathCharacters), done.generation);
  }
  return text;
}

void write_names(JsonWriter& json, const char* key, const std::vector<std::string>& names) {
  json.key(key).begin_array();
  for (const std::string& name : names) json.value(std::string_view(name));
  json.end_array();
}

void write_replaced(JsonWriter& json, const VerifyReport& done) {
  json.field("replaced_generation", done.replaced_generation);
  write_names(json, "changed", done.changed);
  write_names(json, "added", done.added);
  write_names(json, "dropped", done.dropped);
}

std::string verify_json(const VerifyReport& done) {
  JsonWriter json;
  json.begin_object();
  json.field("shards", done.shards).field("shards_verified", done.shards_verified);
  json.field("bytes_read", done.bytes_read).field("seconds", done.seconds);
  json.field("bytes_per_second", bytes_per_second(done)).field("against_manifest", done.against_manifest);
  json.field("manifest_written", std::string_view(done.manifest_written)).field("generation", done.generation);
  if (!done.manifest_written.empty()) write_replaced(json, done);
  json.end_object();
  return json.take();
}

}  // namespace

Report run_verify(const Arguments& arguments, const Context& context) {
  VerifyOptions options = verify_options(arguments);
  options.stop = context.stop;
  options.progress = context.progress();
  std::vector<std::string> notes;
  options.log = [&](const std::string& note) { notes.push_back(note); };
  VerifyReport done = verify(arguments.paths, options, context.comm);
  if (!context.speaks()) return {};
  Report report;
  if (arguments.json) {
    report.parts.emplace_back("verify", verify_json(done));
  } else {
    report.text = verify_text(done, arguments.structure_only);
  }
  report.notes = std::move(notes);
  report.warnings = std::move(done.warnings);
  return report;
}

}  // namespace loadstone::cli
