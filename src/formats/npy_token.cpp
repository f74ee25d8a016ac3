#include "formats/npy_token.hpp"

#include <charconv>

namespace loadstone::formats {

namespace {

constexpr std::string_view kPunctuation = "{}()[],:";

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == '+' || c == '-' || static_cast<unsigned char>(c) > 0x7f;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

Token string_token(std::string_view header, std::size_t begin) {
  const char quote = header[begin];
  for (std::size_t at = begin + 1; at < header.size(); ++at) {
    const char c = header[at];
    if (is_control(c)) return {TokenKind::stray, at, header.substr(at, 1)};
    if (c == quote) return {TokenKind::string, begin, header.substr(begin, at + 1 - begin)};
    if (c == '\\') ++at;
  }
  return {TokenKind::stray, begin, header.substr(begin)};
}

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&out](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

std::optional<unsigned> hexadecimal(std::string_view digits, std::size_t count) {
  if (digits.size() < count) return std::nullopt;
  unsigned value = 0;
  const char* end = digits.data() + count;
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Appends what the escape after a backslash stands for; returns its length, 0 if it is none.
std::size_t append_escape(std::string& out, std::string_view rest) {
  if (rest.empty()) return 0;
  switch (rest.front()) {
    case '\\':
    case '\'':
    case '"':
      out.push_back(rest.front());
      return 1;
    case 'n':
      out.push_back('\n');
      return 1;
    case 't':
      out.push_back('\t');
      return 1;
    case 'r':
      out.push_back('\r');
      return 1;
    case 'x':
    case 'u': {
      const std::size_t digits = rest.front() == 'x' ? 2 : 4;
      const std::optional<unsigned> code = hexadecimal(rest.substr(1), digits);
      if (!code) return 0;
      append_utf8(out, *code);
      return 1 + digits;
    }
    default:
      return 0;
  }
}

}  // namespace

Token next_token(std::string_view header, std::size_t offset) {
  const std::size_t begin = skip_spaces(header, offset);
  if (begin == header.size()) return {TokenKind::end, begin, {}};
  const char c = header[begin];
  if (c == '\n' && begin + 1 == header.size()) return {TokenKind::end, begin, header.substr(begin)};
  if (kPunctuation.find(c) != std::string_view::npos) {
    return {TokenKind::punctuation, begin, header.substr(begin, 1)};
  }
  if (c == '\'' || c == '"') return string_token(header, begin);
  std::size_t end = begin;
  while (end < header.size() && is_word_byte(header[end])) ++end;
  if (end > begin) return {TokenKind::word, begin, header.substr(begin, end - begin)};
  return {TokenKind::stray, begin, header.substr(begin, 1)};
}

std::optional<std::string> string_value(std::string_view token, bool latin1) {
  const std::string_view body = token.substr(1, token.size() - 2);
  std::string out;
  out.reserve(body.size());
  for (std::size_t at = 0; at < body.size(); ++at) {
    const char c = body[at];
    if (c == '\\') {
      const std::size_t length = append_escape(out, body.substr(at + 1));
      if (length == 0) return std::nullopt;
      at += length;
    } else if (latin1) {
      append_utf8(out, static_cast<unsigned char>(c));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace loadstone::formats
