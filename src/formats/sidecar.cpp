#include "core/checked.hpp"
#include "core/text.hpp"
#include "formats/json_fields.hpp"
#include "formats/manifest.hpp"
#include "formats/name_faults.hpp"
#include "formats/npy_descr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace loadstone::formats {

namespace {

class SidecarReader {
 public:
  SidecarReader(JsonValue root, const SidecarNeeds& needs, const Limits& limits)
      : root_(root), needs_(needs), limits_(limits) {}

  Result<Sidecar> run() {
    for (const JsonValue value : root_.children()) {
      if (!member(value.key(), value)) return fields_.take_fault();
    }
    if (!lone_byteorder() || !layout() || !row_size() || !counts()) return fields_.take_fault();
    if (Failure names = refused_paths(); !names.faults.empty()) return names;
    sidecar_.warnings = unknown_.warnings("sidecar.unknown_key");
    return std::move(sidecar_);
  }

 private:
  bool member(std::string_view key, JsonValue value) {
    if (key == "dtype") return dtype(value);
    if (key == "byteorder" || key == "seed") return true;  // read with dtype or after all; of no use to a reader
    if (key == "trailing_shape") {
      return fields_.shape(value, key, limits_.max_ndim - 1, sidecar_.trailing_shape.emplace());
    }
    if (key == "num_shards") return fields_.integer(value, key, 0, sidecar_.num_shards.emplace());
    if (key == "per_shard_rows" || key == "rows_per_shard") return rows(key, value);
    if (key == "header_bytes") return fields_.integer(value, key, 0, sidecar_.header_bytes.emplace());
    if (key == "order") return fields_.order(value, key, sidecar_.order);
    if (key == "shards") return ranges(value);
    unknown_.add(key);
    return true;
  }

  /// One fault for each range whose path is refused.
  [[nodiscard]] Failure refused_paths() const {
    Failure names;
    std::vector<bool> refused;
    for (const std::string& path : sidecar_.range_paths) refused.push_back(why_not_a_name(path, limits_).has_value());
    if (std::ranges::find(refused, true) == refused.end()) return names;
    for (std::size_t i = 0; i < sidecar_.ranges.size(); ++i) {
      const auto path = static_cast<std::size_t>(sidecar_.ranges[i].path);
      if (refused[path])
        add_fault(names, *name_fault(sidecar_.range_paths[path], static_cast<std::int64_t>(i), limits_));
    }
    return names;
  }

  bool dtype(JsonValue value) {
    std::string text;
    if (!fields_.text(value, "dtype", text)) return false;
    const bool as_in_a_header = !text.empty() && std::string_view("<>|=").find(text.front()) != std::string_view::npos;
    sidecar_.dtype = as_in_a_header ? parse_descr(text) : parse_dtype(text);
    if (!sidecar_.dtype) return fields_.wrong("dtype", "an element type such as <f4 or float32", value);
    return byteorder(as_in_a_header);
  }

  bool byteorder(bool already_stated) {
    DType& dtype = *sidecar_.dtype;
    const std::optional<JsonValue> value = root_.find("byteorder");
    if (already_stated && dtype.byte_order != ByteOrder::none) sidecar_.byteorder = dtype.byte_order;
    if (!value) {
      if (already_stated || !needs_.byteorder || dtype.byte_order == ByteOrder::none) return true;
      return fields_.fail("byteorder", fmt::format("'dtype' is {} and 'byteorder' is missing, so the order of its "
                                                   "bytes is not known",
                                                   dtype.name()));
    }
    std::optional<ByteOrder> order;
    if (!little_or_big(*value, order)) return false;
    if (dtype.byte_order == ByteOrder::none) return true;
    if (already_stated && *order != dtype.byte_order) {
      return fields_.wrong("byteorder", fmt::format("the order of 'dtype', {}", dtype.str()), *value);
    }
    dtype.byte_order = *order;
    sidecar_.byteorder = order;
    return true;
  }

  /// The order of bytes whose type somebody else states.
  bool lone_byteorder() {
    const std::optional<JsonValue> value = root_.find("byteorder");
    return sidecar_.dtype || !value || little_or_big(*value, sidecar_.byteorder);
  }

  bool little_or_big(JsonValue value, std::optional<ByteOrder>& order) {
    const bool little = value.is(JsonKind::string) && value.text() == "little";
    const bool big = value.is(JsonKind::string) && value.text() == "big";
    if (!little && !big) return fields_.wrong("byteorder", R"("little" or "big")", value);
    order = little ? ByteOrder::little : ByteOrder::big;
    return true;
  }

  bool rows(std::string_view key, JsonValue value) {
    if (std::exchange(has_rows_, true))
      return fields_.fail(key, "'per_shard_rows' and 'rows_per_shard' are both there");
    switch (value.kind()) {
      case JsonKind::array:
        return rows_list(key, value);
      case JsonKind::object:
        return rows_by_name(key, value);
      case JsonKind::number:
        return fields_.integer(value, key, 0, sidecar_.rows_each.emplace());
      default:
        return fields_.wrong(key, "a list, a map by file name, or one number", value);
    }
  }

  bool rows_list(std::string_view key, JsonValue value) {
    std::vector<std::int64_t>& list = sidecar_.rows_list.emplace();
    for (const JsonValue element : value.children()) {
      if (!room_for_one_more(key, list.size())) return false;
      if (!fields_.integer(element, key, 0, list.emplace_back())) return false;
    }
    return true;
  }

  bool rows_by_name(std::string_view key, JsonValue value) {
    for (const JsonValue element : value.children()) {
      if (!room_for_one_more(key, sidecar_.rows_by_name.size())) return false;
      auto& [name, count] = sidecar_.rows_by_name.emplace_back(element.key(), 0);
      if (!fields_.integer(element, key, 0, count)) return false;
    }
    return true;
  }

  bool ranges(JsonValue value) {
    if (!value.is(JsonKind::array)) return fields_.wrong("shards", "a list", value);
    sidecar_.has_ranges = true;
    for (const JsonValue entry : value.children()) {
      if (!room_for_one_more("shards", sidecar_.ranges.size())) return false;
      const auto index = static_cast<std::int64_t>(sidecar_.ranges.size());
      if (!range(entry)) return fields_.in_entry("shards", index);
    }
    return true;
  }

  bool range(JsonValue entry) {
    SidecarRange& range = sidecar_.ranges.emplace_back();
    if (!entry.is(JsonKind::object)) return fields_.wrong("", "an object", entry);
    int known = 0;  // no key is there twice
    for (const JsonValue value : entry.children()) {
      const std::string_view key = value.key();
      bool good = true;
      if (key == "path") {
        good = path(value, range.path);
      } else if (key == "offset") {
        good = fields_.integer(value, key, 0, range.offset);
      } else if (key == "rows") {
        good = fields_.integer(value, key, 0, range.rows);
      } else {
        unknown_.add(key);
        continue;
      }
      if (!good) return false;
      ++known;
    }
    if (known == 3) return true;
    for (const std::string_view key : {"path", "offset", "rows"}) {
      if (!entry.find(key)) return fields_.missing(key);
    }
    return true;
  }

  /// Ranges of a file mostly follow one another.
  bool path(JsonValue value, std::int64_t& index) {
    if (!value.is(JsonKind::string)) return fields_.wrong("path", "a text", value);
    const std::string_view text = value.text();
    std::vector<std::string>& paths = sidecar_.range_paths;
    if (latest_path_ < 0 || paths[static_cast<std::size_t>(latest_path_)] != text) {
      const auto [known, is_new] = known_paths_.try_emplace(std::string(text), std::ssize(paths));
      if (is_new) paths.emplace_back(text);
      latest_path_ = known->second;
    }
    index = latest_path_;
    return true;
  }

  bool room_for_one_more(std::string_view key, std::size_t count) {
    if (static_cast<std::int64_t>(count) < limits_.max_shards) return true;
    return fields_.fail(key, fmt::format("'{}' has more than {} entries", key, grouped(limits_.max_shards)));
  }

  bool layout() {
    if (needs_.dtype && !sidecar_.dtype) return fields_.missing("dtype");
    return !needs_.trailing_shape || sidecar_.trailing_shape || fields_.missing("trailing_shape");
  }

  bool row_size() {
    if (!sidecar_.dtype || !sidecar_.trailing_shape) return true;
    if (checked_nbytes(*sidecar_.trailing_shape, sidecar_.dtype->itemsize)) return true;
    return fields_.fail("trailing_shape", "a row of 'trailing_shape' has more than 2^63 - 1 bytes", {},
                        *sidecar_.trailing_shape);
  }

  /// What is said twice must be the same.
  bool counts() {
    if (sidecar_.has_ranges && has_rows_)
      return fields_.fail("shards", "'shards' states the rows, and a list does too");
    if (!sidecar_.num_shards) return true;
    std::optional<std::int64_t> listed;
    if (sidecar_.rows_list) listed = static_cast<std::int64_t>(sidecar_.rows_list->size());
    if (!sidecar_.rows_by_name.empty()) listed = static_cast<std::int64_t>(sidecar_.rows_by_name.size());
    if (sidecar_.has_ranges) listed = static_cast<std::int64_t>(sidecar_.ranges.size());
    if (!listed || *listed == *sidecar_.num_shards) return true;
    return fields_.fail("num_shards",
                        fmt::format("'num_shards' states {}, {} are listed", *sidecar_.num_shards, *listed),
                        *sidecar_.num_shards, *listed);
  }

  JsonValue root_;
  SidecarNeeds needs_;
  const Limits& limits_;
  JsonFields fields_{"sidecar.syntax"};
  UnknownKeys unknown_;
  Sidecar sidecar_;
  std::unordered_map<std::string, std::int64_t> known_paths_;
  std::int64_t latest_path_ = -1;
  bool has_rows_ = false;
};

}  // namespace

Result<Sidecar> parse_sidecar(std::string_view text, const SidecarNeeds& needs, const Limits& limits) {
  const JsonLimits json_limits{limits.max_sidecar_bytes, limits.max_json_depth};
  const Result<JsonDocument> document = parse_json(text, json_limits, "sidecar.syntax");
  if (!document.ok()) return document.status().clone();
  return SidecarReader(document->root(), needs, limits).run();
}

}  // namespace loadstone::formats
