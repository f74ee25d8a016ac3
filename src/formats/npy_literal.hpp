// The header text of a .npy file, by our own grammar (DS30). Pure; nothing is evaluated.
//
//   header = "{" item { "," item } [","] "}"
//   item   = "'descr'" ":" descr | "'fortran_order'" ":" ("True"|"False") | "'shape'" ":" tuple
//   tuple  = "(" ")" | "(" int "," ")" | "(" int "," int { "," int } [","] ")"
//   int    = "0" | 1 to 19 digits without a leading 0, an "L" after it only in 1.0 and 2.0
//   descr  = string | "[" field { "," field } [","] "]"
//   field  = "(" name "," descr [ "," ( tuple | int ) ] ")"
//   name   = string | "(" string "," string ")"
#pragma once

#include "core/limits.hpp"
#include "core/status.hpp"

#include <loadstone/distribution.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace loadstone::formats {

/// The value of 'descr': the text of one type, or what a list of fields says.
struct NpyDescr {
  std::string scalar;  ///< characters of the string; empty if structured
  bool structured = false;
  bool has_objects = false;      ///< structured: a field, however deep, is of Python objects
  std::int64_t field_count = 0;  ///< structured: outermost fields
  std::string fields;            ///< structured: "a: <f4, b: (x: <i2, y: <i2), c: <f8 (2, 3)", bytes escaped
  std::int64_t offset = 0;       ///< in the file
};

struct NpyLiteral {
  NpyDescr descr;
  bool fortran_order = false;
  Shape shape;
};

/// @param version       major: 1, 2 or 3
/// @param prefix_bytes  where the text starts in the file, so that faults name a byte of the file
/// Faults: header.syntax (offset, wanted, got), header.key, header.shape.
Result<NpyLiteral> parse_npy_literal(std::string_view text, int version, std::int64_t prefix_bytes,
                                     const Limits& limits);

}  // namespace loadstone::formats
