// A small strict reader of JSON documents: the whole document is checked, and kept as a flat tree.
#pragma once

#include "core/status.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::formats {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

struct JsonNode {
  JsonKind kind = JsonKind::null;
  std::uint32_t key_at = 0;  ///< in the texts of the document; of members only
  std::uint32_t key_size = 0;
  std::uint32_t text_at = 0;  ///< characters of a string, digits of a number, "true" or "false"
  std::uint32_t text_size = 0;
  std::uint32_t end = 0;  ///< index of the first node after this one and its children
};

class JsonDocument;

/// One value of a document, which must outlive it.
class JsonValue {
 public:
  JsonValue(const JsonDocument& document, std::uint32_t index) : document_(&document), index_(index) {}

  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] bool is(JsonKind wanted) const { return kind() == wanted; }
  /// The name of a member; empty elsewhere.
  [[nodiscard]] std::string_view key() const;
  /// Characters of a string; the token of a number.
  [[nodiscard]] std::string_view text() const;
  /// A number written as an integer, exactly, if it lies in 64 bits; from the digits of its token.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  /// "null", "true", 3.5, "text", "an array", "an object": for messages, escaped.
  [[nodiscard]] std::string shown() const;

  class Children;
  /// Elements of an array or members of an object, in order; none for others.
  [[nodiscard]] Children children() const;
  [[nodiscard]] std::optional<JsonValue> find(std::string_view name) const;

 private:
  const JsonDocument* document_;
  std::uint32_t index_;
};

class JsonDocument {
 public:
  JsonDocument(std::vector<JsonNode> nodes, std::string texts) : nodes_(std::move(nodes)), texts_(std::move(texts)) {}

  [[nodiscard]] JsonValue root() const { return {*this, 0}; }
  [[nodiscard]] const JsonNode& node(std::uint32_t index) const { return nodes_[index]; }
  [[nodiscard]] std::string_view text(std::uint32_t at, std::uint32_t size) const {
    return std::string_view(texts_).substr(at, size);
  }

 private:
  std::vector<JsonNode> nodes_;
  std::string texts_;
};

class JsonValue::Children {
 public:
  class Iterator {
   public:
    Iterator(const JsonDocument& document, std::uint32_t index) : document_(&document), index_(index) {}
    JsonValue operator*() const { return {*document_, index_}; }
    Iterator& operator++() {
      index_ = document_->node(index_).end;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const JsonDocument* document_;
    std::uint32_t index_;
  };

  Children(const JsonDocument& document, std::uint32_t begin, std::uint32_t end)
      : document_(&document), begin_(begin), end_(end) {}
  [[nodiscard]] Iterator begin() const { return {*document_, begin_}; }
  [[nodiscard]] Iterator end() const { return {*document_, end_}; }

 private:
  const JsonDocument* document_;
  std::uint32_t begin_;
  std::uint32_t end_;
};

struct JsonLimits {
  std::int64_t max_bytes = 0;
  std::int64_t max_depth = 0;  ///< arrays and objects within one another; the root is depth 1
};

/// Parses a document whose root is an object. Refused: anything outside RFC 8259, invalid UTF-8, a key twice in one
/// object, bytes after the document, more bytes or depth than the limits.
/// @param fault_kind  kind of the fault, such as "manifest.syntax"; code malformed, `offset` where it is known
Result<JsonDocument> parse_json(std::string_view text, const JsonLimits& limits, std::string_view fault_kind);

}  // namespace loadstone::formats
