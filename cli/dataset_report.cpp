#include "cli/dataset_report.hpp"

#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <loadstone/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>

namespace loadstone::cli {
namespace {

constexpr std::size_t kFirstRows = 8;
constexpr std::size_t kPathCharacters = 4096;

std::string field(std::string_view label, std::string_view value) { return fmt::format("{:<11}{}\n", label, value); }

/// "1200, 350, 2048, 17, 999, 1406" or the first eight and "+K more".
std::string row_counts(const Dataset& dataset) {
  std::vector<std::string> words;
  for (const Shard& shard : dataset.shards) {
    if (words.size() == kFirstRows) break;
    words.push_back(grouped(shard.rows));
  }
  std::string text = joined(words, "  ");
  if (dataset.shards.size() > kFirstRows) {
    text += fmt::format("  +{} more", grouped(std::ssize(dataset.shards) - static_cast<std::int64_t>(kFirstRows)));
  }
  return text;
}

const char* order_name(StorageOrder order) { return order == StorageOrder::f ? "F" : "C"; }

std::string byte_order_name(const DType& dtype) {
  switch (dtype.byte_order) {
    case ByteOrder::little:
      return "little-endian";
    case ByteOrder::big:
      return "big-endian";
    case ByteOrder::none:
      return "no byte order";
  }
  return "";
}

/// "<f4" or "4 <f4, 2 >f4": what is stored, most frequent first.
std::string mix(const Dataset& dataset, const std::function<std::string(const Shard&)>& of) {
  std::map<std::string, std::int64_t> counts;
  for (const Shard& shard : dataset.shards) ++counts[of(shard)];
  if (counts.size() == 1) return counts.begin()->first;
  std::vector<std::pair<std::int64_t, std::string>> ranked;
  for (const auto& [name, count] : counts) ranked.emplace_back(-count, name);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> words;
  for (const auto& [count, name] : ranked) words.push_back(fmt::format("{} {}", grouped(-count), name));
  return joined(words);
}

std::string stored_text(const Dataset& dataset) {
  if (dataset.shards.empty()) return "nothing";
  const std::string bytes = mix(dataset, [](const Shard& s) { return s.dtype.str() + " " + byte_order_name(s.dtype); });
  const std::string axes = mix(dataset, [](const Shard& s) { return std::string(order_name(s.order)) + " order"; });
  return bytes + "; " + axes;
}

std::string proof_text(const Dataset& dataset) {
  switch (dataset.proof) {
    case Proof::none:
      return "none: nothing shows that the dataset is complete";
    case Proof::names:
      return "names: no hole inside, the last shard is unproven";
    case Proof::counts:
      return "counts: names or a sidecar state how many there are";
    case Proof::manifest:
      return fmt::format("manifest: generation {}, {}", dataset.manifest_generation,
                         escape(dataset.manifest_path, kPathCharacters));
  }
  return "";
}

std::string shard_lines(const Dataset& dataset) {
  std::string text;
  for (std::size_t i = 0; i < dataset.shards.size(); ++i) {
    const Shard& shard = dataset.shards[i];
    text += fmt::format("{:>6}  {:>12} rows  {:>10}  {:<5} {}  at {:<6} {}\n", i, grouped(shard.rows),
                        format_bytes(shard.nbytes), shard.dtype.str(), order_name(shard.order), shard.data_offset,
                        escape(dataset.file_of(shard).path, kPathCharacters));
  }
  return text;
}

void write_shard(JsonWriter& json, const Shard& shard, const DataFile& file) {
  json.begin_object();
  json.field("path", std::string_view(file.path)).field("rows", shard.rows).field("data_offset", shard.data_offset);
  json.field("nbytes", shard.nbytes).field("order", order_name(shard.order));
  json.field("dtype", std::string_view(shard.dtype.str()));
  json.key("identity").begin_object();
  json.field("size", file.identity.size).field("mtime_ns", file.identity.mtime_ns);
  json.field("ctime_ns", file.identity.ctime_ns);
  json.field("inode", static_cast<std::int64_t>(file.identity.inode));
  json.field("header_hash", std::string_view(fmt::format("{:016x}", file.identity.header_hash)));
  json.end_object().end_object();
}

}  // namespace

std::int64_t payload_bytes(const Dataset& dataset) {
  std::int64_t bytes = 0;
  for (const Shard& shard : dataset.shards) bytes += shard.nbytes;
  return bytes;
}

std::string location_of(const Dataset& dataset) {
  if (dataset.files.empty()) return dataset.pattern;
  const std::string& path = dataset.files.front().path;
  if (dataset.pattern.empty()) {  // names that tell no order have none
    return fmt::format("{} ... {}", escape(path, kPathCharacters), escape(dataset.files.back().path, kPathCharacters));
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  return escape(folder + dataset.pattern, kPathCharacters);
}

std::string dataset_line(const Dataset& dataset) {
  return fmt::format("{}: {}, {} {}, {}", location_of(dataset), counted(std::ssize(dataset.shards), "shard"),
                     shape_text(dataset.shape), dataset.dtype.name(), format_bytes(payload_bytes(dataset)));
}

std::string dataset_text(const Dataset& dataset, bool all_shards) {
  std::string text = field("dataset", location_of(dataset));
  text += field("format", dataset.format);
  text += field("shards", grouped(std::ssize(dataset.shards)));
  text += field("rows", row_counts(dataset));
  text += field("shape", shape_text(dataset.shape));
  text += field("dtype", dataset.dtype.name());
  text += field("stored", stored_text(dataset));
  const std::int64_t bytes = payload_bytes(dataset);
  text += field("bytes", fmt::format("{} ({})", grouped(bytes), format_bytes(bytes)));
  text += field("proof", proof_text(dataset));
  text += field("digest", dataset.digest + " (of the description, not of the data)");
  if (all_shards) text += shard_lines(dataset);
  return text;
}

std::string dataset_json(const Dataset& dataset) {
  JsonWriter json;
  json.begin_object();
  json.field("format", std::string_view(dataset.format)).field("pattern", std::string_view(dataset.pattern));
  json.key("shape").value(std::span<const std::int64_t>(dataset.shape));
  json.field("dtype", std::string_view(dataset.dtype.str())).field("nbytes", payload_bytes(dataset));
  json.field("proof", to_string(dataset.proof)).field("digest", std::string_view(dataset.digest));
  json.key("row_index").value(std::span<const std::int64_t>(dataset.row_index));
  if (!dataset.manifest_path.empty()) {
    json.key("manifest").begin_object();
    json.field("path", std::string_view(dataset.manifest_path)).field("generation", dataset.manifest_generation);
    json.end_object();
  }
  json.key("shards").begin_array();
  for (const Shard& shard : dataset.shards) write_shard(json, shard, dataset.file_of(shard));
  json.end_array().end_object();
  return json.take();
}

}  // namespace loadstone::cli
