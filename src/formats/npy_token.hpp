// Tokens of a .npy header: punctuation, strings, words. Nothing is evaluated and nothing is copied.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace loadstone::formats {

enum class TokenKind : unsigned char {
  punctuation,  ///< one of { } ( ) [ ] , :
  string,       ///< '...' or "...", quotes included
  word,         ///< a run of letters, digits, _ . + - and bytes over 0x7f: numbers and names alike
  end,          ///< only spaces, or spaces and one newline, are left
  stray,        ///< a byte or a broken string that no header has
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t offset = 0;  ///< in the header text
  std::string_view text;

  [[nodiscard]] bool is(char punctuation) const {
    return kind == TokenKind::punctuation && text.front() == punctuation;
  }
};

/// The first token at or after `offset`; spaces before it are skipped.
Token next_token(std::string_view header, std::size_t offset);

/// The characters a string token stands for, as UTF-8. Empty if an escape is not one of \\ \' \" \n \t \r \xHH \uHHHH.
/// @param latin1  bytes over 0x7f are Latin-1 characters (versions 1.0 and 2.0), else UTF-8
std::optional<std::string> string_value(std::string_view token, bool latin1);

}  // namespace loadstone::formats
