// loadstone write: a test dataset whose values depend on seed and place alone.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <loadstone/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace loadstone::cli {
namespace {

constexpr std::size_t kPathCharacters = 4096;

std::string shard_lines(const WriteReport& written, const WriteOptions& options) {
  std::size_t width = 0;
  for (const WrittenShard& shard : written.shards) width = std::max(width, shard.name.size());
  std::string text;
  for (const WrittenShard& shard : written.shards) {
    Shape shape = options.shape;
    if (!shape.empty()) shape.front() = shard.rows;
    text += fmt::format("{:<{}}  {:<18}  {:>10}  first row sums to {:.6g}\n", shard.name, width, shape_text(shape),
                        format_bytes(shard.nbytes), shard.first_row_sum);
  }
  return text;
}

std::string written_json(const WriteReport& written) {
  JsonWriter json;
  json.begin_object().key("shards").begin_array();
  for (const WrittenShard& shard : written.shards) {
    json.begin_object().field("name", std::string_view(shard.name)).field("rows", shard.rows);
    json.field("nbytes", shard.nbytes).field("first_row_sum", shard.first_row_sum).end_object();
  }
  json.end_array();
  json.field("manifest", std::string_view(written.manifest)).field("generation", written.generation);
  json.end_object();
  return json.take();
}

}  // namespace

Report run_write(const Arguments& arguments, const Context& context) {
  WriteOptions options = write_options(arguments);
  options.stop = context.stop;
  const WriteReport written = write(arguments.paths.front(), options, context.comm);
  if (!context.speaks()) return {};
  Report report;
  if (arguments.json) {
    report.parts.emplace_back("written", written_json(written));
  } else {
    report.text =
        shard_lines(written, options) +
        fmt::format("manifest {}, generation {}\n", escape(written.manifest, kPathCharacters), written.generation);
  }
  return report;
}

}  // namespace loadstone::cli
