#include "formats/npy_descr.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace loadstone::formats {

namespace {

// NumPy's own limit on one element.
constexpr std::int64_t kMaxItemBytes = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kUcs4Bytes = 4;

struct NumericType {
  char letter;
  std::int64_t itemsize;
  Kind kind;
};
constexpr auto kNumericTypes = std::to_array<NumericType>({
    {'b', 1, Kind::boolean},
    {'i', 1, Kind::signed_integer},
    {'i', 2, Kind::signed_integer},
    {'i', 4, Kind::signed_integer},
    {'i', 8, Kind::signed_integer},
    {'u', 1, Kind::unsigned_integer},
    {'u', 2, Kind::unsigned_integer},
    {'u', 4, Kind::unsigned_integer},
    {'u', 8, Kind::unsigned_integer},
    {'f', 2, Kind::floating},
    {'f', 4, Kind::floating},
    {'f', 8, Kind::floating},
    {'c', 8, Kind::complex},
    {'c', 16, Kind::complex},
});

constexpr auto kUnits =
    std::to_array<std::string_view>({"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"});

/// Plain decimal digits without a leading zero, at most `max`.
std::optional<std::int64_t> plain_number(std::string_view digits, std::int64_t max) {
  std::int64_t value = 0;
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return std::nullopt;
  if (digits.front() == '0' && digits.size() > 1) return std::nullopt;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end || value > max) return std::nullopt;
  return value;
}

std::optional<ByteOrder> order_of(char c) {
  switch (c) {
    case '<':
      return ByteOrder::little;
    case '>':
      return ByteOrder::big;
    case '|':
      return ByteOrder::none;
    default:
      return std::nullopt;
  }
}

std::optional<DType> numeric(char letter, std::int64_t size, ByteOrder order) {
  const auto* found = std::find_if(kNumericTypes.begin(), kNumericTypes.end(), [&](const NumericType& type) {
    return type.letter == letter && type.itemsize == size;
  });
  if (found == kNumericTypes.end()) return std::nullopt;
  if (size == 1) return DType{found->kind, size, ByteOrder::none, {}};
  if (order == ByteOrder::none) return std::nullopt;
  return DType{found->kind, size, order, {}};
}

std::optional<DType> long_type(char letter, std::int64_t size, ByteOrder order) {
  constexpr auto kLong = static_cast<std::int64_t>(sizeof(long double));
  if (kLong <= 8 || order != native_byte_order()) return std::nullopt;
  if (letter == 'f' && size == kLong) return DType{Kind::long_double, size, order, {}};
  if (letter == 'c' && size == 2 * kLong) return DType{Kind::long_complex, size, order, {}};
  return std::nullopt;
}

/// "[25s]" -> "25s", "[1s]" -> "s", "" -> "".
std::optional<std::string> unit_of(std::string_view text) {
  if (text.empty()) return std::string();
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  if (std::find(kUnits.begin(), kUnits.end(), unit) == kUnits.end()) return std::nullopt;
  if (digits == 0) return std::string(unit);
  const std::optional<std::int64_t> count = plain_number(text.substr(0, digits), kMaxItemBytes);
  if (!count || *count == 0) return std::nullopt;
  return *count == 1 ? std::string(unit) : std::string(text);
}

std::optional<DType> time(Kind kind, std::string_view rest, ByteOrder order) {
  if (rest.empty() || rest.front() != '8' || order == ByteOrder::none) return std::nullopt;
  std::optional<std::string> unit = unit_of(rest.substr(1));
  if (!unit) return std::nullopt;
  return DType{kind, 8, order, std::move(*unit)};
}

std::optional<DType> sized(char letter, std::int64_t size, ByteOrder order) {
  if (letter == 'S') return DType{Kind::bytes, size, ByteOrder::none, {}};
  if (letter == 'V') return DType{Kind::opaque, size, ByteOrder::none, {}};
  if (letter == 'U') {
    if (order == ByteOrder::none || size > kMaxItemBytes / kUcs4Bytes) return std::nullopt;
    return DType{Kind::text, size * kUcs4Bytes, size == 0 ? ByteOrder::none : order, {}};
  }
  if (std::optional<DType> type = numeric(letter, size, order)) return type;
  return long_type(letter, size, order);
}

}  // namespace

std::optional<DType> parse_descr(std::string_view text) {
  if (text.size() < 3) return std::nullopt;
  const std::optional<ByteOrder> order = order_of(text[0]);
  if (!order) return std::nullopt;
  const char letter = text[1];
  const std::string_view rest = text.substr(2);
  if (letter == 'M') return time(Kind::datetime, rest, *order);
  if (letter == 'm') return time(Kind::timedelta, rest, *order);
  const std::optional<std::int64_t> size = plain_number(rest, kMaxItemBytes);
  if (!size) return std::nullopt;
  return sized(letter, *size, *order);
}

bool is_object_descr(std::string_view text) {
  if (!text.empty() && std::string_view("<>|=").find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  if (text.empty() || text.front() != 'O') return false;
  return text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace loadstone::formats
