// One pass over the tokens of a .npy header: look, take, or fail with the byte and the token.
#pragma once

#include "formats/npy_token.hpp"

#include <loadstone/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loadstone::formats {

/// Every `bool` and every empty optional that fails has stored the fault, which take_fault() hands out.
class NpyCursor {
 public:
  NpyCursor(std::string_view text, int version, std::int64_t prefix_bytes)
      : text_(text), version_(version), prefix_bytes_(prefix_bytes), token_(next_token(text, 0)) {}

  /// Of the present token, in the file.
  [[nodiscard]] std::int64_t offset() const { return prefix_bytes_ + static_cast<std::int64_t>(token_.offset); }
  [[nodiscard]] bool at(char punctuation) const { return token_.is(punctuation); }
  [[nodiscard]] bool at_word(std::string_view word) const {
    return token_.kind == TokenKind::word && token_.text == word;
  }

  /// Goes to the next token; true, so that it can end a condition.
  bool advance();
  /// Takes the token if it is there.
  bool skip(char punctuation);
  bool expect(char punctuation);
  bool expect_end();
  /// Characters of a string token.
  std::optional<std::string> string(std::string_view wanted);
  /// 0 to 2^63 - 1 in plain digits; one more is header.shape.
  std::optional<std::int64_t> extent();

  /// header.syntax at the present token; false.
  bool fail(std::string_view wanted);
  bool fail(Fault fault);
  Fault take_fault() { return std::move(fault_); }

 private:
  std::string_view text_;
  int version_;
  std::int64_t prefix_bytes_;
  Token token_;
  Fault fault_;
};

}  // namespace loadstone::formats
