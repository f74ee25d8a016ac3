#include "cli/capability_report.hpp"

#include "core/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadstone::cli {

std::string capability_text(std::string_view heading, std::span<const Capability> rows) {
  std::size_t width = 0;
  for (const Capability& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{}\n", heading);
  for (const Capability& row : rows) {
    const std::string_view state = row.usable ? "usable" : row.built ? "not usable" : "not built";
    const std::string_view reason = row.reason == state ? "" : std::string_view(row.reason);
    text += fmt::format("  {:<{}}  {:<10}{}{}\n", row.name, width, state, reason.empty() ? "" : "  ", reason);
  }
  return text;
}

std::string capability_json(std::span<const Capability> rows) {
  JsonWriter json;
  json.begin_array();
  for (const Capability& row : rows) {
    json.begin_object().field("name", std::string_view(row.name)).field("built", row.built);
    json.field("usable", row.usable).field("reason", std::string_view(row.reason)).end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace loadstone::cli
