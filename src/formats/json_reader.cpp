#include "formats/json_reader.hpp"

#include "core/text.hpp"
#include "formats/faults.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace loadstone::formats {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kTail = "something follows the document";

std::string_view trimmed(std::string_view token) {
  const std::size_t last = token.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view() : token.substr(0, last + 1);
}

std::size_t skip_digits(std::string_view token, std::size_t at) {
  while (at < token.size() && token[at] >= '0' && token[at] <= '9') ++at;
  return at;
}

/// RFC 8259: [-] int [frac] [exp].
bool is_number(std::string_view token) {
  std::size_t at = token.starts_with('-') ? 1 : 0;
  const std::size_t integer_end = skip_digits(token, at);
  if (integer_end == at || (token[at] == '0' && integer_end > at + 1)) return false;
  at = integer_end;
  if (at < token.size() && token[at] == '.') {
    const std::size_t end = skip_digits(token, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < token.size() && (token[at] == 'e' || token[at] == 'E')) {
    ++at;
    if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
    const std::size_t end = skip_digits(token, at);
    if (end == at) return false;
    at = end;
  }
  return at == token.size();
}

std::optional<JsonKind> scalar_kind(std::string_view token) {
  if (token == "true" || token == "false") return JsonKind::boolean;
  if (token == "null") return JsonKind::null;
  if (is_number(token)) return JsonKind::number;
  return std::nullopt;
}

/// No document has more values than this: each is the first or follows one of these bytes, and takes two bytes at
/// least.
std::size_t most_nodes(std::string_view text) {
  std::ptrdiff_t starts = 0;
  for (const char c : {',', '[', ':'}) starts += std::count(text.begin(), text.end(), c);
  return 1 + std::min(static_cast<std::size_t>(starts), text.size() / 2);
}

/// Whether anything but white space stands behind the bracket that closes the first one.
bool has_tail(std::string_view text) {
  bool quoted = false;
  std::int64_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\') ++at;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return !trimmed(text.substr(at + 1)).empty();
  }
  return false;
}

/// Walks a document once, in order, so that every byte of it is checked.
class Walker {
 public:
  Walker(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {
    nodes_.reserve(most_nodes(text));
    texts_.reserve(text.size());
  }

  /// Empty if all is well.
  std::string walk(ondemand::document& document) {
    ondemand::object root;
    if (const auto error = document.get_object().get(root)) return root_error(error);
    if (!members(root, open(JsonKind::object, {}), 1)) return problem_;
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return std::string(kTail);
    return {};
  }

  JsonDocument take() { return {std::move(nodes_), std::move(texts_)}; }

 private:
  /// simdjson takes a document for cut short when its last byte closes nothing.
  [[nodiscard]] std::string root_error(simdjson::error_code error) const {
    if (error == simdjson::INCORRECT_TYPE) return "the document must be an object";
    if (error == simdjson::INCOMPLETE_ARRAY_OR_OBJECT && has_tail(text_)) return std::string(kTail);
    return simdjson::error_message(error);
  }

  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool fail(simdjson::error_code error) { return fail(simdjson::error_message(error)); }

  std::pair<std::uint32_t, std::uint32_t> keep(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(texts_.size());
    texts_ += text;
    return {at, static_cast<std::uint32_t>(text.size())};
  }

  std::size_t open(JsonKind kind, std::string_view key) {
    JsonNode node;
    node.kind = kind;
    std::tie(node.key_at, node.key_size) = keep(key);
    node.end = static_cast<std::uint32_t>(nodes_.size() + 1);
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  bool scalar(JsonKind kind, std::string_view key, std::string_view text) {
    JsonNode& node = nodes_[open(kind, key)];
    std::tie(node.text_at, node.text_size) = keep(text);
    return true;
  }

  bool close(std::size_t index) {
    nodes_[index].end = static_cast<std::uint32_t>(nodes_.size());
    return true;
  }

  bool value(ondemand::value json, std::string_view key, std::int64_t depth) {
    ondemand::json_type type{};
    if (const auto error = json.type().get(type)) return fail(error);
    switch (type) {
      case ondemand::json_type::object:
        return object(json, key, depth + 1);
      case ondemand::json_type::array:
        return array(json, key, depth + 1);
      case ondemand::json_type::string:
        return string(json, key);
      default:
        return token(json, key);
    }
  }

  bool too_deep(std::int64_t depth) { return depth > limits_.max_depth; }

  bool object(ondemand::value json, std::string_view key, std::int64_t depth) {
    if (too_deep(depth)) return fail(fmt::format("it is nested more than {} deep", limits_.max_depth));
    ondemand::object object;
    if (const auto error = json.get_object().get(object)) return fail(error);
    return members(object, open(JsonKind::object, key), depth);
  }

  bool members(ondemand::object object, std::size_t index, std::int64_t depth) {
    for (auto member : object) {
      std::string_view key;
      if (const auto error = member.unescaped_key().get(key)) return fail(error);
      ondemand::value json;
      if (const auto error = member.value().get(json)) return fail(error);
      if (!value(json, key, depth)) return false;
    }
    close(index);
    return unique_keys(index);
  }

  bool array(ondemand::value json, std::string_view key, std::int64_t depth) {
    if (too_deep(depth)) return fail(fmt::format("it is nested more than {} deep", limits_.max_depth));
    ondemand::array array;
    if (const auto error = json.get_array().get(array)) return fail(error);
    const std::size_t index = open(JsonKind::array, key);
    for (auto element : array) {
      ondemand::value element_json;
      if (const auto error = element.get(element_json)) return fail(error);
      if (!value(element_json, {}, depth)) return false;
    }
    return close(index);
  }

  bool string(ondemand::value json, std::string_view key) {
    std::string_view text;
    if (const auto error = json.get_string().get(text)) return fail(error);
    return scalar(JsonKind::string, key, text);
  }

  bool token(ondemand::value json, std::string_view key) {
    const std::string_view text = trimmed(json.raw_json_token());
    const std::optional<JsonKind> kind = scalar_kind(text);
    if (!kind) return fail(fmt::format("'{}' is no value", escape(text)));
    return scalar(*kind, key, text);
  }

  bool unique_keys(std::size_t index) {
    keys_.clear();
    for (std::uint32_t at = static_cast<std::uint32_t>(index) + 1; at < nodes_[index].end; at = nodes_[at].end) {
      keys_.push_back(std::string_view(texts_).substr(nodes_[at].key_at, nodes_[at].key_size));
    }
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    return twice == keys_.end() || fail(fmt::format("the key '{}' is there twice", escape(*twice)));
  }

  std::string_view text_;
  const JsonLimits& limits_;
  std::vector<JsonNode> nodes_;
  std::string texts_;
  std::vector<std::string_view> keys_;  // of one object, only while they are compared
  std::string problem_;
};

Fault json_fault(std::string_view kind, std::string problem) {
  return malformed(kind, fmt::format("it is no valid JSON document: {}", problem),
                   "Correct the file, or write it again.");
}

Fault too_many_bytes(std::string_view kind, std::size_t size, std::int64_t cap) {
  Fault fault = malformed(
      kind, fmt::format("it has {} bytes, the limit is {}", grouped(static_cast<std::int64_t>(size)), grouped(cap)),
      "Split the dataset, or raise the limit.");
  fault.wanted = cap;
  fault.got = static_cast<std::int64_t>(size);
  return fault;
}

}  // namespace

Result<JsonDocument> parse_json(std::string_view text, const JsonLimits& limits, std::string_view fault_kind) {
  if (static_cast<std::int64_t>(text.size()) > limits.max_bytes) {
    return too_many_bytes(fault_kind, text.size(), limits.max_bytes);
  }
  const simdjson::padded_string padded(text);
  ondemand::parser parser;
  ondemand::document document;
  if (const auto error = parser.iterate(padded).get(document)) {
    return json_fault(fault_kind, simdjson::error_message(error));
  }
  Walker walker(text, limits);
  std::string problem = walker.walk(document);
  if (!problem.empty()) {
    Fault fault = json_fault(fault_kind, std::move(problem));
    const char* at = nullptr;
    if (!document.current_location().get(at)) fault.offset = at - padded.data();
    return fault;
  }
  return walker.take();
}

JsonKind JsonValue::kind() const { return document_->node(index_).kind; }

std::string_view JsonValue::key() const {
  const JsonNode& node = document_->node(index_);
  return document_->text(node.key_at, node.key_size);
}

std::string_view JsonValue::text() const {
  const JsonNode& node = document_->node(index_);
  return document_->text(node.text_at, node.text_size);
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (!is(JsonKind::number)) return std::nullopt;
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string JsonValue::shown() const {
  switch (kind()) {
    case JsonKind::null:
      return "null";
    case JsonKind::string:
      return '"' + escape(text()) + '"';
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
    default:
      return escape(text());
  }
}

JsonValue::Children JsonValue::children() const {
  const JsonNode& node = document_->node(index_);
  const bool parent = node.kind == JsonKind::array || node.kind == JsonKind::object;
  return {*document_, parent ? index_ + 1 : node.end, node.end};
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  if (!is(JsonKind::object)) return std::nullopt;
  for (const JsonValue child : children()) {
    if (child.key() == name) return child;
  }
  return std::nullopt;
}

}  // namespace loadstone::formats
