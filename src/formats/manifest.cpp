#include "formats/manifest.hpp"

#include "core/checked.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "formats/faults.hpp"
#include "formats/json_fields.hpp"
#include "formats/name_faults.hpp"
#include "formats/npy_descr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace loadstone::formats {

namespace {

constexpr std::string_view kVersionKey = "loadstone_manifest";
constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMaxDepth = 8;
constexpr std::size_t kHashDigits = 32;
constexpr std::size_t kCrcDigits = 8;

class ManifestReader {
 public:
  ManifestReader(JsonValue root, const Limits& limits) : root_(root), limits_(limits) {}

  Result<Manifest> run() {
    if (std::optional<Fault> fault = version_fault()) return std::move(*fault);
    if (!members() || !required() || !axis() || !totals() || !distinct()) return fields_.take_fault();
    Failure names;
    for (std::size_t i = 0; i < manifest_.shards.size(); ++i) {
      std::optional<Fault> fault = name_fault(manifest_.shards[i].name, static_cast<std::int64_t>(i), limits_);
      if (fault) add_fault(names, std::move(*fault));
    }
    if (!names.faults.empty()) return names;
    manifest_.warnings = unknown_.warnings("manifest.unknown_key");
    return std::move(manifest_);
  }

 private:
  /// A later version may mean its keys otherwise, so this is looked at first.
  std::optional<Fault> version_fault() {
    const std::optional<JsonValue> value = root_.find(kVersionKey);
    std::int64_t version = 0;
    const bool read = value ? fields_.integer(*value, kVersionKey, 1, version) : fields_.missing(kVersionKey);
    if (!read) return fields_.take_fault();
    if (version <= kVersion) return std::nullopt;
    Fault fault = malformed("manifest.version",
                            fmt::format("the manifest is of version {}; up to {} is known", version, kVersion),
                            "Use a later release of loadstone.");
    fault.item = kVersionKey;
    fault.wanted = kVersion;
    fault.got = version;
    return fault;
  }

  bool members() {
    // the order of the whole is the default of every shard, wherever its key stands
    if (const std::optional<JsonValue> value = root_.find("order")) {
      if (!fields_.order(*value, "order", manifest_.order)) return false;
    }
    for (const JsonValue value : root_.children()) {
      if (!member(value.key(), value)) return false;
    }
    return true;
  }

  bool member(std::string_view key, JsonValue value) {
    if (key == kVersionKey || key == "order") return true;
    if (key == "generation") return fields_.integer(value, key, 1, manifest_.generation);
    if (key == "format") return format(value);
    if (key == "dtype") return dtype(value);
    if (key == "trailing_shape") return fields_.shape(value, key, limits_.max_ndim - 1, manifest_.trailing_shape);
    if (key == "stack_axis") return fields_.integer(value, key, 0, manifest_.stack_axis);
    if (key == "shards_total") return fields_.integer(value, key, 0, shards_total_);
    if (key == "rows_total") return fields_.integer(value, key, 0, rows_total_);
    if (key == "shards") return shards(value);
    unknown_.add(key);
    return true;
  }

  bool required() {
    for (const std::string_view key :
         {"generation", "format", "dtype", "trailing_shape", "shards_total", "rows_total", "shards"}) {
      if (!root_.find(key)) return fields_.missing(key);
    }
    return true;
  }

  bool format(JsonValue value) {
    if (!fields_.text(value, "format", manifest_.format)) return false;
    return !manifest_.format.empty() || fields_.wrong("format", "the name of a format", value);
  }

  bool dtype(JsonValue value) {
    std::string text;
    if (!fields_.text(value, "dtype", text)) return false;
    std::optional<DType> dtype = parse_descr(text);
    if (!dtype) return fields_.wrong("dtype", "an element type with its byte order, such as <f4", value);
    manifest_.dtype = std::move(*dtype);
    return true;
  }

  bool shards(JsonValue value) {
    if (!value.is(JsonKind::array)) return fields_.wrong("shards", "a list", value);
    for (const JsonValue entry : value.children()) {
      if (static_cast<std::int64_t>(manifest_.shards.size()) == limits_.max_shards) {
        return fields_.fail("shards", fmt::format("there are more than {} shards", grouped(limits_.max_shards)));
      }
      const auto index = static_cast<std::int64_t>(manifest_.shards.size());
      if (!shard(entry)) return fields_.in_entry("shards", index);
    }
    return true;
  }

  bool shard(JsonValue entry) {
    ManifestShard& shard = manifest_.shards.emplace_back();
    shard.order = manifest_.order;
    if (!entry.is(JsonKind::object)) return fields_.wrong("", "an object", entry);
    for (const JsonValue value : entry.children()) {
      if (!shard_member(shard, value.key(), value)) return false;
    }
    for (const std::string_view key : {"name", "rows", "bytes", "xxh3_128"}) {
      if (!entry.find(key)) return fields_.missing(key);
    }
    if (shard.data_offset.value_or(0) <= shard.bytes) return true;
    return fields_.fail("data_offset", "'data_offset' is past the end of the file", shard.bytes, *shard.data_offset);
  }

  bool shard_member(ManifestShard& shard, std::string_view key, JsonValue value) {
    if (key == "name") return fields_.text(value, key, shard.name);
    if (key == "rows") return fields_.integer(value, key, 0, shard.rows);
    if (key == "bytes") return fields_.integer(value, key, 0, shard.bytes);
    if (key == "xxh3_128") return fields_.hexadecimal(value, key, kHashDigits, shard.xxh3_128);
    if (key == "data_offset") return fields_.integer(value, key, 0, shard.data_offset.emplace());
    if (key == "crc32c") return fields_.hexadecimal(value, key, kCrcDigits, shard.crc32c);
    if (key == "order") return fields_.order(value, key, shard.order);
    unknown_.add(key);
    return true;
  }

  bool axis() {
    if (manifest_.stack_axis == 0) return true;
    return fields_.fail("stack_axis",
                        fmt::format("'stack_axis' is {}; shards are stacked along axis 0 only", manifest_.stack_axis),
                        std::int64_t{0}, manifest_.stack_axis);
  }

  bool totals() {
    const auto count = static_cast<std::int64_t>(manifest_.shards.size());
    if (shards_total_ != count) return unlike("shards_total", shards_total_, count);
    std::optional<std::int64_t> rows = 0;
    for (const ManifestShard& shard : manifest_.shards) {
      rows = checked_add(*rows, shard.rows);
      if (!rows) return fields_.fail("shards", "the rows of all shards are over 2^63 - 1");
    }
    if (rows_total_ != *rows) return unlike("rows_total", rows_total_, *rows);
    Shape shape = manifest_.trailing_shape;
    shape.push_back(*rows);
    if (checked_nbytes(shape, manifest_.dtype.itemsize)) return true;
    return fields_.fail("trailing_shape", "the whole array has more than 2^63 - 1 bytes");
  }

  bool unlike(std::string_view item, std::int64_t stated, std::int64_t listed) {
    return fields_.fail(item, fmt::format("'{}' states {}, the shards listed make {}", item, stated, listed), stated,
                        listed);
  }

  /// One file may hold several shards only where their payloads start at stated, different bytes.
  bool distinct() {
    std::vector<std::size_t> order(manifest_.shards.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) {
      const ManifestShard& shard = manifest_.shards[i];
      return std::pair<std::string_view, std::optional<std::int64_t>>(shard.name, shard.data_offset);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    const auto clash = std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto [name_a, offset_a] = key(a);
      const auto [name_b, offset_b] = key(b);
      return name_a == name_b && (!offset_a || !offset_b || offset_a == offset_b);
    });
    if (clash == order.end()) return true;
    return fields_.fail("shards", fmt::format("the shard \"{}\" is listed twice", escape(key(*clash).first)));
  }

  JsonValue root_;
  const Limits& limits_;
  JsonFields fields_{"manifest.syntax"};
  UnknownKeys unknown_;
  Manifest manifest_;
  std::int64_t shards_total_ = 0;
  std::int64_t rows_total_ = 0;
};

std::string_view order_text(StorageOrder order) { return order == StorageOrder::c ? "C" : "F"; }

/// One line, so that a manifest can be read and compared by lines.
std::string shard_line(const ManifestShard& shard, StorageOrder whole) {
  JsonWriter json;
  json.begin_object().field("name", shard.name).field("rows", shard.rows).field("bytes", shard.bytes);
  json.field("xxh3_128", shard.xxh3_128);
  if (shard.data_offset) json.field("data_offset", *shard.data_offset);
  if (!shard.crc32c.empty()) json.field("crc32c", shard.crc32c);
  if (shard.order != whole) json.field("order", order_text(shard.order));
  json.end_object();
  return json.take();
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view text, const Limits& limits) {
  const JsonLimits json_limits{limits.max_manifest_bytes, kMaxDepth};
  const Result<JsonDocument> document = parse_json(text, json_limits, "manifest.syntax");
  if (!document.ok()) return document.status().clone();
  return ManifestReader(document->root(), limits).run();
}

std::string write_manifest(const Manifest& manifest) {
  std::int64_t rows = 0;
  for (const ManifestShard& shard : manifest.shards) rows += shard.rows;
  JsonWriter json(1);
  json.begin_object().field(kVersionKey, kVersion).field("generation", manifest.generation);
  json.field("format", manifest.format).field("dtype", manifest.dtype.str());
  json.field("trailing_shape", std::span<const std::int64_t>(manifest.trailing_shape));
  json.field("stack_axis", manifest.stack_axis);
  if (manifest.order != StorageOrder::c) json.field("order", order_text(manifest.order));
  json.field("shards_total", static_cast<std::int64_t>(manifest.shards.size())).field("rows_total", rows);
  json.key("shards").begin_array();
  for (const ManifestShard& shard : manifest.shards) json.raw(shard_line(shard, manifest.order));
  json.end_array().end_object();
  return json.take() + "\n";
}

}  // namespace loadstone::formats
