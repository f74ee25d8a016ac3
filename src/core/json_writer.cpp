#include "core/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>

namespace loadstone {

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(levels_.size() * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += level.one_line && indent_ > 0 ? ", " : ",";
  level.empty = false;
  if (!level.one_line) new_line();
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  const bool one_line = !levels_.empty() && levels_.back().one_line;
  levels_.push_back({.array = false, .one_line = one_line, .empty = true});
  text_ += '{';
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.one_line) new_line();
  text_ += '}';
  return *this;
}

JsonWriter& JsonWriter::begin_array(bool one_line) {
  separate();
  const bool inherited = !levels_.empty() && levels_.back().one_line;
  levels_.push_back({.array = true, .one_line = one_line || inherited, .empty = true});
  text_ += '[';
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.one_line) new_line();
  text_ += ']';
  return *this;
}

namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[at];
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += text[at];
    }
  }
  out += '"';
}

/// Paths may hold any bytes; JSON may not.
std::string valid_utf8(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    bool good = length > 0 && at + length <= text.size();
    for (std::size_t i = 1; good && i < length; ++i) good = (static_cast<unsigned char>(text[at + i]) & 0xC0) == 0x80;
    if (good) {
      out += text.substr(at, length);
      at += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++at;
    }
  }
  return out;
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(text_, name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_quoted(text_, valid_utf8(text));
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::value(std::span<const std::int64_t> numbers) {
  begin_array(true);
  for (const std::int64_t number : numbers) value(number);
  return end_array();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

namespace {

void write_value(JsonWriter& json, std::string_view name, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    json.field(name, *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    json.field(name, std::string_view(*text));
  } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    json.key(name).value(std::span<const std::int64_t>(*list));
  }
}

void write_text(JsonWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.field(name, std::string_view(text));
}

}  // namespace

void write_fault(JsonWriter& json, const Fault& fault, Audience audience) {
  json.begin_object();
  json.field("code", to_string(fault.code));
  json.field("kind", std::string_view(fault.kind));
  json.field("message", std::string_view(fault.message));
  write_text(json, "remedy", fault.remedy.text(audience));
  if (fault.shard) json.field("shard", *fault.shard);
  write_text(json, "path", fault.path);
  write_text(json, "item", fault.item);
  if (fault.offset) json.field("offset", *fault.offset);
  if (fault.bytes) json.field("bytes", *fault.bytes);
  if (fault.system_errno != 0) json.field("errno", fault.system_errno);
  write_value(json, "wanted", fault.wanted);
  write_value(json, "got", fault.got);
  write_text(json, "set_by", fault.set_by);
  json.end_object();
}

}  // namespace loadstone
