#include "loader/shard_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/checked.hpp"
#include "core/hash.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/npy.hpp"
#include "loader/row_lists.hpp"

namespace loadstone::loader {
namespace {

constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;

Fault bad_option(std::string item, std::string message, std::string remedy) {
  return {.code = Code::bad_argument,
          .kind = "write." + item,
          .message = std::move(message),
          .remedy = std::move(remedy),
          .item = std::move(item)};
}

}  // namespace

Result<WriteLayout> make_write_layout(const WriteOptions& options) {
  if (options.shape.empty()) {
    return bad_option("shape", "a dataset needs at least one axis",
                      "Set " + named(Option::shape, "4000000, 8") + ", for example");
  }
  if (!options.dtype.is_numeric()) {
    return bad_option("dtype", options.dtype.name() + " is no numeric type", "Give a type such as float32 or int64");
  }
  if (!checked_nbytes(options.shape, options.dtype.itemsize)) {
    return bad_option("shape", shape_text(options.shape) + " has a negative extent or more than 2^63 - 1 bytes",
                      "Give extents from 0 up");
  }
  if (options.format != "npy") {
    return bad_option("format", "datasets are written as npy, not as " + escape(options.format),
                      "Set " + named(Option::format, "npy"));
  }
  if (options.fill != "random" && options.fill != "index") {
    return bad_option("fill", "\"" + escape(options.fill) + "\" is no way to fill",
                      fmt::format("Set {} or {}", named(Option::fill, "random"), named(Option::fill, "index")));
  }
  auto rows = rows_of_shards(options.rows, options.shape[0], options.shards, options.seed);
  if (!rows.ok()) return std::move(rows).status();
  WriteLayout layout{std::move(rows).value(),
                     {},
                     {options.shape.begin() + 1, options.shape.end()},
                     1,
                     options.fill == "index" ? Fill::index : Fill::random};
  for (const std::int64_t extent : layout.trailing) layout.row_elements *= extent;
  std::int64_t start = 0;
  for (const std::int64_t n : layout.rows) {
    layout.first_row.push_back(start);
    start += n;
  }
  return layout;
}

std::string shard_name(std::int64_t shard, std::int64_t shards, std::int64_t generation) {
  const int width = std::max(4, static_cast<int>(fmt::format("{}", shards - 1).size()));
  return formats::generation_name(fmt::format("shard_{:0{}}.npy", shard, width), generation);
}

Result<WrittenFile> write_shard(const std::string& directory, const WriteOptions& options, const WriteLayout& layout,
                                std::size_t shard, std::int64_t generation) {
  Shape shape = {layout.rows[shard]};
  shape.insert(shape.end(), layout.trailing.begin(), layout.trailing.end());
  const std::string header = formats::write_npy_header(options.dtype, shape);
  const std::int64_t item = options.dtype.itemsize;
  const std::int64_t elements = layout.rows[shard] * layout.row_elements;
  const std::string name = shard_name(static_cast<std::int64_t>(shard), options.shards, generation);
  const std::int64_t bytes = static_cast<std::int64_t>(header.size()) + elements * item;
  auto file = io::OutputFile::create(directory, name, bytes);
  if (!file.ok()) return std::move(file).status();
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(header)));
  Status status = file->append(std::as_bytes(std::span(header)));
  std::vector<std::byte> chunk;
  std::uint32_t crc = 0;
  double first_row_sum = 0;
  for (std::int64_t at = 0; status.ok() && at < elements; at += kChunkBytes / item) {
    if (options.stop.stop_requested()) {
      return Fault{.code = Code::cancelled, .kind = "cancelled", .message = "stopped while writing"};
    }
    const std::int64_t n = std::min(kChunkBytes / item, elements - at);
    chunk.resize(static_cast<std::size_t>(n * item));
    fill_values(options.dtype, layout.fill, options.seed, layout.first_row[shard] * layout.row_elements + at, chunk);
    const std::int64_t in_first_row = std::clamp<std::int64_t>(layout.row_elements - at, 0, n);
    first_row_sum +=
        sum_of_values(options.dtype, std::span(chunk).first(static_cast<std::size_t>(in_first_row * item)));
    hasher.update(chunk);
    crc = crc32c(chunk, crc);
    status = file->append(chunk);
  }
  if (status.ok()) status = file->sync();
  if (!status.ok()) return status;
  formats::ManifestShard entry{
      name,       layout.rows[shard], bytes, hasher.digest().hex(), static_cast<std::int64_t>(header.size()),
      hex32(crc), StorageOrder::c};
  return WrittenFile{
      std::move(file).value(), std::move(entry), {name, layout.rows[shard], elements * item, first_row_sum}};
}

}  // namespace loadstone::loader
