#include "formats/npy_cursor.hpp"

#include "core/text.hpp"
#include "formats/faults.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

namespace loadstone::formats {

namespace {

constexpr std::size_t kMaxDigits = 19;

bool is_extent(std::string_view digits) {
  if (digits.empty() || digits.size() > kMaxDigits) return false;
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return false;
  return digits.front() != '0' || digits.size() == 1;
}

}  // namespace

bool NpyCursor::advance() {
  token_ = next_token(text_, token_.offset + token_.text.size());
  return true;
}

bool NpyCursor::skip(char punctuation) { return at(punctuation) && advance(); }

bool NpyCursor::expect(char punctuation) {
  if (skip(punctuation)) return true;
  return fail(std::string{'"', punctuation, '"'});
}

bool NpyCursor::expect_end() {
  if (token_.kind == TokenKind::end) return true;
  return fail("nothing but spaces and one newline after the dictionary");
}

std::optional<std::string> NpyCursor::string(std::string_view wanted) {
  std::optional<std::string> value;
  if (token_.kind == TokenKind::string) value = string_value(token_.text, version_ < 3);
  if (value) {
    advance();
  } else {
    fail(wanted);
  }
  return value;
}

std::optional<std::int64_t> NpyCursor::extent() {
  std::string_view digits = token_.kind == TokenKind::word ? token_.text : std::string_view();
  if (version_ < 3 && digits.ends_with('L')) digits.remove_suffix(1);
  if (!is_extent(digits)) {
    fail("an extent of 1 to 19 digits");
    return std::nullopt;
  }
  std::uint64_t value = 0;  // 19 digits always fit
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (value > std::numeric_limits<std::int64_t>::max()) {
    Fault fault = malformed("header.shape", fmt::format("the extent {} is over 2^63 - 1", digits),
                            "Write the file again with the array's real shape.");
    fault.offset = offset();
    fault.wanted = std::numeric_limits<std::int64_t>::max();
    fault.got = std::string(digits);
    fail(std::move(fault));
    return std::nullopt;
  }
  advance();
  return static_cast<std::int64_t>(value);
}

bool NpyCursor::fail(std::string_view wanted) {
  const std::string got = token_.kind == TokenKind::end ? "the end of the header" : escape(token_.text);
  Fault fault = malformed("header.syntax",
                          fmt::format("the header has {} at byte {}, where {} must stand", got, offset(), wanted),
                          "Write the file again with numpy.save, from plain Python integers and a plain dtype.");
  fault.offset = offset();
  fault.wanted = std::string(wanted);
  fault.got = got;
  return fail(std::move(fault));
}

bool NpyCursor::fail(Fault fault) {
  fault_ = std::move(fault);
  return false;
}

}  // namespace loadstone::formats
