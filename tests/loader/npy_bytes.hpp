// .npy files of zeros, byte by byte, right and wrong, for tests of discover. Knows nothing of the library's writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::test {

/// Magic, version, length and a header text padded to 64; then `payload` zero bytes.
inline std::string npy_frame(std::string literal, std::size_t payload = 240, char major = 1, char minor = 0,
                             std::int64_t length = -1) {
  const std::size_t prefix = major == 1 || major == 0 ? 10 : 12;
  const std::size_t end = (prefix + literal.size() + 1 + 63) / 64 * 64;
  literal.resize(end - prefix - 1, ' ');
  literal += '\n';
  if (length < 0) length = static_cast<std::int64_t>(literal.size());
  std::string bytes("\x93NUMPY");
  bytes += major;
  bytes += minor;
  for (std::size_t i = 0; i < prefix - 8; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes + literal + std::string(payload, '\0');
}

inline std::string npy_literal(std::string_view descr = "'<f4'", std::string_view shape = "(5, 3, 4)",
                               std::string_view order = "False") {
  return "{'descr': " + std::string(descr) + ", 'fortran_order': " + std::string(order) +
         ", 'shape': " + std::string(shape) + ", }";
}

/// A good one: `rows` rows of `trailing` ("3, 4, "), `row_nbytes` bytes each.
inline std::string good_npy(std::int64_t rows = 5, std::string_view trailing = "3, 4", std::int64_t row_nbytes = 48,
                            std::string_view descr = "'<f4'") {
  const std::string shape = "(" + std::to_string(rows) + ", " + std::string(trailing) + ")";
  return npy_frame(npy_literal(descr, shape), static_cast<std::size_t>(rows * row_nbytes));
}

}  // namespace loadstone::test
