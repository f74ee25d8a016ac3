// Element types, as NumPy names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loadstone {

/// What the bits of an element mean.
enum class Kind : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,      ///< IEEE binary16, 32, 64
  complex,       ///< two floats
  long_double,   ///< the platform's long double; carried, never converted
  long_complex,  ///< two long doubles
  bytes,         ///< NumPy S: fixed-length bytes
  text,          ///< NumPy U: UCS-4 code points
  datetime,      ///< NumPy M8: 64-bit count of `unit`
  timedelta,     ///< NumPy m8
  opaque,        ///< NumPy V: uninterpreted bytes
};

enum class ByteOrder : std::uint8_t { little, big, none };
ByteOrder native_byte_order() noexcept;

/// A value type: kind, bytes of one element, byte order and, for times, the unit.
struct DType {
  Kind kind = Kind::unsigned_integer;
  std::int64_t itemsize = 1;               ///< bytes of one element; 0 is legal for S, U, V
  ByteOrder byte_order = ByteOrder::none;  ///< none where order has no meaning (one-byte units)
  std::string unit;                        ///< "ns", "25s"; empty unless datetime or timedelta (and may be empty there)

  bool operator==(const DType&) const = default;

  /// Bytes that are swapped together: 8 for c16, 4 for U, 1 for S; equals itemsize for plain numbers.
  [[nodiscard]] std::int64_t swap_unit() const noexcept;
  /// The same type in this machine's byte order.
  [[nodiscard]] DType native() const;
  [[nodiscard]] bool is_native() const noexcept;
  /// True for booleans, integers, floats and complex numbers: the types that casts know.
  [[nodiscard]] bool is_numeric() const noexcept;
  /// NumPy's array-protocol text, such as "<f4", "|u1", "<M8[ns]".
  [[nodiscard]] std::string str() const;
  /// NumPy's name, such as "float32", "datetime64[ns]", "bytes40" (bits); str() where NumPy has no better one.
  [[nodiscard]] std::string name() const;
};

/// Parses what a user writes: "<f4", "float32", "f8", "int64", "datetime64[ns]"; native order unless stated.
/// Empty if it is no known type. File headers have their own, stricter parser.
std::optional<DType> parse_dtype(std::string_view text);

}  // namespace loadstone
