#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace loadstone {
namespace {

/// Characters that turn or break the line around them: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool is_format_control(std::string_view character) {
  if (character == "\xD8\x9C") return true;
  if (character.size() != 3) return false;
  const auto last = static_cast<unsigned char>(character[2]);
  if (character.starts_with("\xE2\x80")) return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  return character.starts_with("\xE2\x81") && last >= 0xA6 && last <= 0xA9;
}

/// C1 controls (U+0080 to U+009F) can move a cursor as well as the ASCII ones.
bool is_control(std::string_view bytes, std::size_t at, std::size_t length) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  if (length == 1) return first < 0x20 || first == 0x7F;
  if (length == 2 && first == 0xC2) return static_cast<unsigned char>(bytes[at + 1]) < 0xA0;
  return is_format_control(bytes.substr(at, length));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::size_t utf8_length(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || at + length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;   // overlong
  if (first == 0xED && byte(at + 1) >= 0xA0) return 0;  // surrogates
  if (first == 0xF0 && byte(at + 1) < 0x90) return 0;
  if (first == 0xF4 && byte(at + 1) >= 0x90) return 0;
  return length;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string escape(std::string_view bytes, std::size_t max_characters) {
  std::string text;
  std::size_t characters = 0;
  std::size_t at = 0;
  for (; at < bytes.size() && characters < max_characters; ++characters) {
    const std::size_t length = utf8_length(bytes, at);
    if (length == 0 || is_control(bytes, at, length)) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at]));
      ++at;
    } else {
      text += bytes.substr(at, length);
      at += length;
    }
  }
  if (at < bytes.size()) text += "...";
  return text;
}

std::string escape_path(std::string_view path, std::size_t max_characters) {
  const std::string whole = escape(path, path.size());
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < whole.size(); at += utf8_length(whole, at)) starts.push_back(at);
  if (starts.size() <= max_characters) return whole;
  const std::size_t head = max_characters / 2;
  const std::size_t tail = starts.size() - (max_characters - head);
  return whole.substr(0, starts[head]) + "..." + whole.substr(starts[tail]);
}

std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

std::string shape_text(std::span<const std::int64_t> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::string grouped(std::int64_t n) {
  std::string digits = fmt::format("{}", n);
  const std::size_t start = n < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string nearest(std::string_view word, std::span<const std::string> choices) {
  const std::size_t near = std::max<std::size_t>(2, word.size() / 3);
  std::size_t best = near + 1;
  std::string found;
  for (const std::string& choice : choices) {
    const std::size_t distance = edit_distance(word, choice);
    if (distance < best) {
      best = distance;
      found = choice;
    }
  }
  return found;
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

}  // namespace loadstone
