#include "formats/json_fields.hpp"

#include "core/text.hpp"
#include "formats/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadstone::formats {

namespace {

constexpr std::size_t kMaxWarnings = 20;

std::string lower_case(std::string_view digits) {
  std::string out(digits);
  for (char& c : out) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

bool JsonFields::integer(JsonValue value, std::string_view item, std::int64_t least, std::int64_t& out) {
  const std::optional<std::int64_t> number = value.integer();
  if (!number || *number < least) return wrong(item, fmt::format("an integer from {} to 2^63 - 1", least), value);
  out = *number;
  return true;
}

bool JsonFields::text(JsonValue value, std::string_view item, std::string& out) {
  if (!value.is(JsonKind::string)) return wrong(item, "a text", value);
  out = value.text();
  return true;
}

bool JsonFields::shape(JsonValue value, std::string_view item, std::int64_t max_ndim, Shape& out) {
  if (!value.is(JsonKind::array)) return wrong(item, "a list of extents", value);
  for (const JsonValue element : value.children()) {
    if (static_cast<std::int64_t>(out.size()) == max_ndim) {
      return fail(item, fmt::format("'{}' has more than {} extents", item, max_ndim));
    }
    if (!integer(element, item, 0, out.emplace_back())) return false;
  }
  return true;
}

bool JsonFields::order(JsonValue value, std::string_view item, StorageOrder& out) {
  if (!value.is(JsonKind::string) || (value.text() != "C" && value.text() != "F")) {
    return wrong(item, R"("C" or "F")", value);
  }
  out = value.text() == "C" ? StorageOrder::c : StorageOrder::f;
  return true;
}

bool JsonFields::hexadecimal(JsonValue value, std::string_view item, std::size_t digits, std::string& out) {
  const std::string_view text = value.text();
  if (!value.is(JsonKind::string) || text.size() != digits ||
      text.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
    return wrong(item, fmt::format("{} hexadecimal digits", digits), value);
  }
  out = lower_case(text);
  return true;
}

bool JsonFields::wrong(std::string_view item, std::string_view wanted, const JsonValue& got) {
  const std::string subject = item.empty() ? "" : fmt::format("'{}' ", item);
  return fail(item, fmt::format("{}must be {}, it is {}", subject, wanted, got.shown()), std::string(wanted),
              got.shown());
}

bool JsonFields::missing(std::string_view item) { return fail(item, fmt::format("'{}' is missing", item)); }

bool JsonFields::fail(std::string_view item, std::string message, Value wanted, Value got) {
  fault_ = malformed(fault_kind_, std::move(message), "Correct the file, or write it again.");
  fault_.item = item;
  fault_.wanted = std::move(wanted);
  fault_.got = std::move(got);
  return false;
}

bool JsonFields::in_entry(std::string_view list, std::int64_t index) {
  const bool whole = fault_.item.empty();  // the message then lacks its subject, which is the entry
  fault_.message =
      fmt::format("{}entry {} of '{}'{} {}", whole ? "" : "in ", index, list, whole ? "" : ",", fault_.message);
  fault_.item = fmt::format("{}[{}]{}{}", list, index, fault_.item.empty() ? "" : ".", fault_.item);
  fault_.shard = index;
  return false;
}

void UnknownKeys::add(std::string_view key) {
  if (keys_.size() == kMaxWarnings || std::find(keys_.begin(), keys_.end(), key) != keys_.end()) return;
  keys_.emplace_back(key);
}

std::vector<Fault> UnknownKeys::warnings(std::string_view kind) const {
  std::vector<Fault> out;
  for (const std::string& key : keys_) {
    Fault warning = malformed(kind, fmt::format("the key '{}' is unknown and was not used", escape(key)),
                              "Remove it, or check how it is spelt.");
    warning.item = escape(key);
    out.push_back(std::move(warning));
  }
  return out;
}

}  // namespace loadstone::formats
