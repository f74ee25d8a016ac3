#include "core/text.hpp"
#include "formats/faults.hpp"
#include "formats/manifest.hpp"
#include "formats/name_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadstone::formats {

namespace {

constexpr std::size_t kMaxFaults = 10'000;

bool has_parent_step(std::string_view name) {
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::optional<std::string> why_not_a_name(std::string_view name, const Limits& limits) {
  if (name.empty()) return "it is empty";
  if (static_cast<std::int64_t>(name.size()) > limits.max_name_bytes) {
    return fmt::format("it has {} bytes, over the limit of {}", name.size(), limits.max_name_bytes);
  }
  if (name.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  if (name.front() == '/') return "it is absolute";
  if (has_parent_step(name)) return "it holds '..'";
  return std::nullopt;
}

std::optional<Fault> name_fault(std::string_view name, std::int64_t shard, const Limits& limits) {
  const std::optional<std::string> reason = why_not_a_name(name, limits);
  if (!reason) return std::nullopt;
  Fault fault = make_fault(Code::outside_root, "paths.outside_root",
                           fmt::format("the name \"{}\" of shard {} is refused: {}", escape(name), shard, *reason),
                           "Name each shard by one relative path below this directory.");
  fault.shard = shard;
  fault.item = escape(name);
  return fault;
}

void add_fault(Failure& failure, Fault fault) {
  ++failure.total_faults;
  if (failure.faults.size() < kMaxFaults) failure.faults.push_back(std::move(fault));
}

std::string generation_name(std::string_view plain, std::int64_t generation) {
  if (generation <= 1) return std::string(plain);
  const std::size_t slash = plain.rfind('/');
  const std::size_t base = slash == std::string_view::npos ? 0 : slash + 1;
  std::size_t dot = plain.rfind('.');
  if (dot == std::string_view::npos || dot <= base) dot = plain.size();
  return fmt::format("{}.g{}{}", plain.substr(0, dot), generation, plain.substr(dot));
}

}  // namespace loadstone::formats
