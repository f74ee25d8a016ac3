// One small emitter for every JSON that is written. Keys and values in order; numbers are exact.
#pragma once

#include <loadstone/error.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone {

class JsonWriter {
 public:
  /// @param indent  spaces a level; 0 writes one line
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array(bool one_line = false);
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);  ///< escaped; invalid UTF-8 becomes \ufffd
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(double number);  ///< shortest text that reads back equal; not finite becomes null
  JsonWriter& value(bool truth);
  JsonWriter& null();
  JsonWriter& value(std::span<const std::int64_t> numbers);  ///< an array on one line
  JsonWriter& raw(std::string_view json);                    ///< a finished document as a value
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void separate();
  void new_line();
  struct Level {
    bool array = false;
    bool one_line = false;
    bool empty = true;
  };
  int indent_;
  bool after_key_ = false;
  std::vector<Level> levels_;
  std::string text_;
};

/// The fields of a fault that are set, as an object: code, kind, message, remedy, shard, path, wanted, got, ...
void write_fault(JsonWriter& json, const Fault& fault, Audience audience);

}  // namespace loadstone
