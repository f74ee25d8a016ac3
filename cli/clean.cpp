// loadstone clean: removes what a manifest names, and nothing else.
#include "cli/commands.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <loadstone/load.hpp>

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace loadstone::cli {
namespace {

constexpr std::size_t kPathCharacters = 4096;

std::string clean_text(const CleanReport& done, bool yes) {
  std::string text;
  for (const std::string& path : done.removed) {
    text += fmt::format("{}  {}\n", yes ? "removed " : "would go", escape(path, kPathCharacters));
  }
  for (const auto& [path, why] : done.kept) {
    text += fmt::format("stays     {}: {}\n", escape(path, kPathCharacters), escape(why));
  }
  const std::int64_t gone = std::ssize(done.removed);
  return text + (yes ? fmt::format("{} removed, {} kept\n", gone, done.kept.size())
                     : fmt::format("{} would go, {} would stay; --yes removes\n", gone, done.kept.size()));
}

std::string removed_json(const CleanReport& done) {
  JsonWriter json;
  json.begin_array();
  for (const std::string& path : done.removed) json.value(std::string_view(path));
  json.end_array();
  return json.take();
}

std::string kept_json(const CleanReport& done) {
  JsonWriter json;
  json.begin_array();
  for (const auto& [path, why] : done.kept) {
    json.begin_object().field("path", std::string_view(path)).field("why", std::string_view(why)).end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace

Report run_clean(const Arguments& arguments, const Context& context) {
  if (!context.speaks()) return {};
  const CleanReport done = clean(arguments.paths.front(), arguments.yes);
  Report report;
  if (arguments.json) {
    report.parts.emplace_back("removed", removed_json(done));
    report.parts.emplace_back("kept", kept_json(done));
  } else {
    report.text = clean_text(done, arguments.yes);
  }
  return report;
}

}  // namespace loadstone::cli
