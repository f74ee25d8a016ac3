// Typed fields out of a JSON document, failing with the key, what must stand there and what does.
#pragma once

#include "core/limits.hpp"
#include "formats/json_reader.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::formats {

/// Every call that returns false has stored the fault, which take_fault() hands out. `item` names the key.
class JsonFields {
 public:
  /// @param fault_kind  such as "manifest.syntax"; code malformed
  explicit JsonFields(std::string_view fault_kind) : fault_kind_(fault_kind) {}

  bool integer(JsonValue value, std::string_view item, std::int64_t least, std::int64_t& out);
  bool text(JsonValue value, std::string_view item, std::string& out);
  /// Extents of at least 0, at most `max_ndim` of them.
  bool shape(JsonValue value, std::string_view item, std::int64_t max_ndim, Shape& out);
  /// "C" or "F".
  bool order(JsonValue value, std::string_view item, StorageOrder& out);
  /// So many hexadecimal digits; kept in lower case.
  bool hexadecimal(JsonValue value, std::string_view item, std::size_t digits, std::string& out);

  /// The value of a key is not what must stand there. No `item`: the entry that in_entry() names next is not.
  bool wrong(std::string_view item, std::string_view wanted, const JsonValue& got);
  /// A key is missing.
  bool missing(std::string_view item);
  /// Anything else that is wrong with a key.
  bool fail(std::string_view item, std::string message, Value wanted = {}, Value got = {});
  /// Adds to the stored fault that it lies in entry `index` of the list `list`; false.
  bool in_entry(std::string_view list, std::int64_t index);
  Fault take_fault() { return std::move(fault_); }

 private:
  std::string_view fault_kind_;
  Fault fault_;
};

/// One warning for each distinct key that is not known, however often it occurs; at most 20.
class UnknownKeys {
 public:
  void add(std::string_view key);
  /// @param kind  such as "manifest.unknown_key"
  [[nodiscard]] std::vector<Fault> warnings(std::string_view kind) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace loadstone::formats
