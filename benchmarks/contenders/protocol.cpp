#include "protocol.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <numeric>
#include <stdexcept>

#include "digest.h"

namespace bench {
namespace {

using Object = simdjson::dom::object;

std::string text_of(const Object& object, const char* key) { return std::string(std::string_view(object[key])); }

Job parse_job(const std::string& line) {
  simdjson::dom::parser parser;
  const Object object = parser.parse(line);
  Job job;
  job.action = text_of(object, "action");
  job.form = text_of(object, "form");
  job.folder = text_of(object, "folder");
  for (const std::string_view name : simdjson::dom::array(object["files"])) job.files.emplace_back(name);
  job.bytes = object["bytes"];
  job.row_bytes = object["row_bytes"];
  job.cap_bytes = object["cap_bytes"];
  job.present = std::string_view(object["destination"]) == "present";
  for (const std::int64_t size : simdjson::dom::array(object["pieces"])) job.pieces.push_back(size);
  for (const auto field : Object(object["options"])) job.options.emplace(field.key, std::string_view(field.value));
  return job;
}

std::string json_of(const Report& report) {
  std::string stages;
  for (const auto& [name, seconds] : report.stages) {
    stages += fmt::format("{}\"{}\": {:.9f}", stages.empty() ? "" : ", ", name, seconds);
  }
  std::string counts;
  for (const auto& [name, count] : report.counts) {
    counts += fmt::format("{}\"{}\": {}", counts.empty() ? "" : ", ", name, count);
  }
  return fmt::format("{{\"stages\": {{{}}}, \"counts\": {{{}}}}}", stages, counts);
}

void say(const std::string& line) { std::cout << line << std::endl; }

std::string on_one_line(std::string text) {
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  return text;
}

void answer(Contender& contender) {
  std::string line;
  if (!std::getline(std::cin, line)) return;
  const Job job = parse_job(line);
  contender.prepare(job);
  say("ready");
  while (std::getline(std::cin, line) && line != "exit") {
    if (line == "go") say("done " + json_of(contender.run(job)));
    if (line == "digest") say("digest " + contender.digest(job));
  }
}

}  // namespace

std::int64_t Job::number(const std::string& option, std::int64_t otherwise) const {
  const auto found = options.find(option);
  return found == options.end() ? otherwise : std::stoll(found->second);
}

std::string Job::word(const std::string& option, const std::string& otherwise) const {
  const auto found = options.find(option);
  return found == options.end() ? otherwise : found->second;
}

int serve(Contender& contender) {
  try {
    answer(contender);
  } catch (const std::exception& error) {
    say("failed " + on_one_line(error.what()));
    return 1;
  }
  return 0;
}

std::string digest_of_parts(const std::vector<std::span<const std::byte>>& parts) {
  std::string list;
  for (const auto part : parts) {
    const std::int64_t size = std::ssize(part);
    std::uint64_t digest = 0;
    bench_digest_pieces(part.data(), &size, 1, &digest);
    list += fmt::format("{}\"{:016x}\"", list.empty() ? "" : ", ", digest);
  }
  return fmt::format("{{\"pieces\": [{}]}}", list);
}

std::string digest_of_pieces(std::span<const std::byte> bytes, const std::vector<std::int64_t>& pieces) {
  const std::int64_t sum = std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0});
  if (sum != static_cast<std::int64_t>(bytes.size())) {
    throw std::runtime_error(fmt::format("the result has {} bytes, not {}", bytes.size(), sum));
  }
  std::vector<std::span<const std::byte>> parts;
  for (const std::int64_t size : pieces) {
    parts.push_back(bytes.first(static_cast<std::size_t>(size)));
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return digest_of_parts(parts);
}

StreamDigest::StreamDigest() : state_(bench_digest_make(), [](void* state) { bench_digest_take(state); }) {}

void StreamDigest::add(std::span<const std::byte> bytes) {
  bench_digest_add(state_.get(), bytes.data(), static_cast<std::int64_t>(bytes.size()));
}

std::string StreamDigest::take() {
  return fmt::format("{{\"whole\": \"{:016x}\"}}", bench_digest_take(state_.release()));
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace bench
