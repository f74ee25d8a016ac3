// loadstone verify: compares shards with the manifest, or records them in one.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <loadstone/load.hpp>

#include <fmt/format.h>

#include <string_view>

namespace loadstone::cli {
namespace {

constexpr std::size_t kPathCharacters = 4096;

double bytes_per_second(const VerifyReport& done) {
  return done.seconds > 0 ? static_cast<double>(done.bytes_read) / done.seconds : 0;
}

std::string checked_text(const VerifyReport& done, bool structure_only) {
  if (done.against_manifest && !structure_only) {
    return fmt::format("{} of {} equal the manifest", grouped(done.shards_verified), counted(done.shards, "shard"));
  }
  return fmt::format("structure of {} only: {}", counted(done.shards, "shard"),
                     structure_only ? "no data was read" : "there is no manifest to compare content with");
}

std::string verify_text(const VerifyReport& done, bool structure_only) {
  std::string text = fmt::format("verified   {}\n", checked_text(done, structure_only));
  text += fmt::format("read       {} in {:.3f} s, {:.2f} GB/s\n", format_bytes(done.bytes_read), done.seconds,
                      bytes_per_second(done) / 1e9);
  if (!done.manifest_written.empty()) {
    text +=
        fmt::format("manifest   {}, generation {}\n", escape(done.manifest_written, kPathCharacters), done.generation);
  }
  return text;
}

std::string verify_json(const VerifyReport& done) {
  JsonWriter json;
  json.begin_object();
  json.field("shards", done.shards).field("shards_verified", done.shards_verified);
  json.field("bytes_read", done.bytes_read).field("seconds", done.seconds);
  json.field("bytes_per_second", bytes_per_second(done)).field("against_manifest", done.against_manifest);
  json.field("manifest_written", std::string_view(done.manifest_written)).field("generation", done.generation);
  json.end_object();
  return json.take();
}

}  // namespace

Report run_verify(const Arguments& arguments, const Context& context) {
  VerifyOptions options = verify_options(arguments);
  options.stop = context.stop;
  options.progress = context.progress();
  VerifyReport done = verify(arguments.paths, options, context.comm);
  if (!context.speaks()) return {};
  Report report;
  if (arguments.json) {
    report.parts.emplace_back("verify", verify_json(done));
  } else {
    report.text = verify_text(done, arguments.structure_only);
  }
  report.warnings = std::move(done.warnings);
  return report;
}

}  // namespace loadstone::cli
