// loadstone probe: which backends and communicators work here, and what every setting is.
#include "cli/capability_report.hpp"
#include "cli/commands.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadstone::cli {
namespace {

std::string settings_text(const std::vector<Setting>& rows) {
  std::size_t name = 0;
  std::size_t value = 0;
  for (const Setting& row : rows) {
    name = std::max(name, row.name.size());
    value = std::max(value, row.value.size());
  }
  std::string text = "settings\n";
  for (const Setting& row : rows) {
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", row.name, name, escape(row.value), value, row.origin);
  }
  return text;
}

std::string probe_json(const std::vector<Setting>& rows) {
  JsonWriter json;
  json.begin_object().key("backends").raw(capability_json(backends()));
  json.key("communicators").raw(capability_json(communicators()));
  json.key("formats").raw(capability_json(known_formats()));
  json.key("settings").begin_array();
  for (const Setting& row : rows) {
    json.begin_object().field("name", std::string_view(row.name)).field("value", std::string_view(row.value));
    json.field("origin", std::string_view(row.origin)).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace

Report run_probe(const Arguments& arguments, const Context& /*context*/) {
  const std::vector<Setting> rows = settings();
  Report report;
  if (arguments.json) {
    report.parts.emplace_back("probe", probe_json(rows));
  } else if (arguments.settings) {
    report.text = settings_text(rows);
  } else {
    report.text = capability_text("backends", backends()) + capability_text("communicators", communicators());
  }
  return report;
}

}  // namespace loadstone::cli
