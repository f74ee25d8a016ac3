// Bytes as people write them: "64MiB", "500 KiB", "16777216".
#include "loader/bytes.hpp"
#include "core/checked.hpp"
#include "core/text.hpp"

#include <loadstone/error.hpp>
#include <loadstone/options.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace loadstone {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array kUnits = {Unit{"", 1}, Unit{"B", 1}, Unit{"KiB", std::int64_t{1} << 10},
                               Unit{"MiB", std::int64_t{1} << 20}, Unit{"GiB", std::int64_t{1} << 30}};

}  // namespace

std::optional<std::int64_t> loader::bytes_of(std::string_view text) noexcept {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : kUnits) {
    if (known.name == unit && !(unit.empty() && rest != end)) return checked_multiply(number, known.bytes);
  }
  return std::nullopt;
}

std::int64_t parse_bytes(std::string_view text) {
  if (const std::optional<std::int64_t> bytes = loader::bytes_of(text)) return *bytes;
  Fault fault;
  fault.code = Code::bad_argument;
  fault.kind = "argument";
  fault.message = fmt::format("'{}' is no number of bytes", escape(text));
  fault.remedy = "Give a whole number, alone or with B, KiB, MiB or GiB, such as 64MiB.";
  fault.got = escape(text);
  throw Error(std::move(fault));
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array kNames = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double scaled = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; scaled >= 1023.95 && unit + 1 < kNames.size(); ++unit) scaled /= 1024;
  return fmt::format("{:.1f} {}", scaled, kNames[unit]);
}

}  // namespace loadstone
