#include <fmt/format.h>
#include <loadstone/dtype.hpp>

#include <array>
#include <bit>
#include <charconv>

namespace loadstone {
namespace {

struct KindName {
  Kind kind;
  char letter;
  std::string_view name;  // NumPy's name without the bits
};

constexpr std::array<KindName, 12> kKinds = {{{Kind::boolean, 'b', "bool"},
                                              {Kind::signed_integer, 'i', "int"},
                                              {Kind::unsigned_integer, 'u', "uint"},
                                              {Kind::floating, 'f', "float"},
                                              {Kind::complex, 'c', "complex"},
                                              {Kind::long_double, 'f', "float"},
                                              {Kind::long_complex, 'c', "complex"},
                                              {Kind::bytes, 'S', "bytes"},
                                              {Kind::text, 'U', "str"},
                                              {Kind::datetime, 'M', "datetime64"},
                                              {Kind::timedelta, 'm', "timedelta64"},
                                              {Kind::opaque, 'V', "void"}}};

const KindName& named(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

constexpr std::int64_t kCodePointBytes = 4;

bool is_fixed_size(Kind kind, std::int64_t itemsize) {
  switch (kind) {
    case Kind::boolean:
      return itemsize == 1;
    case Kind::signed_integer:
    case Kind::unsigned_integer:
      return itemsize == 1 || itemsize == 2 || itemsize == 4 || itemsize == 8;
    case Kind::floating:
      return itemsize == 2 || itemsize == 4 || itemsize == 8;
    case Kind::complex:
      return itemsize == 8 || itemsize == 16;
    case Kind::datetime:
    case Kind::timedelta:
      return itemsize == 8;
    case Kind::bytes:
    case Kind::text:
    case Kind::opaque:
      return itemsize >= 0;
    default:
      return false;
  }
}

/// "i4", "U3", "M8[ns]" after the byte-order character.
std::optional<DType> parse_protocol(std::string_view text, ByteOrder order) {
  if (text.empty()) return std::nullopt;
  DType dtype;
  bool known = false;
  for (const KindName& entry : kKinds) {
    if (entry.letter == text[0] && entry.kind != Kind::long_double && entry.kind != Kind::long_complex) {
      dtype.kind = entry.kind;
      known = true;
      break;
    }
  }
  if (!known) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > (std::int64_t{1} << 31)) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  dtype.itemsize = dtype.kind == Kind::text ? number * kCodePointBytes : number;
  if (!is_fixed_size(dtype.kind, dtype.itemsize)) return std::nullopt;
  const bool timed = dtype.kind == Kind::datetime || dtype.kind == Kind::timedelta;
  if (!rest.empty()) {
    if (!timed || rest.size() < 3 || rest.front() != '[' || rest.back() != ']') return std::nullopt;
    dtype.unit = std::string(rest.substr(1, rest.size() - 2));
  }
  dtype.byte_order = dtype.swap_unit() == 1 || dtype.itemsize == 0 ? ByteOrder::none : order;
  return dtype;
}

/// "float32", "datetime64[ns]", "bool".
std::optional<DType> parse_name(std::string_view text) {
  for (const KindName& entry : kKinds) {
    if (entry.kind >= Kind::long_double && entry.kind != Kind::datetime && entry.kind != Kind::timedelta) continue;
    if (!text.starts_with(entry.name)) continue;
    const std::string_view rest = text.substr(entry.name.size());
    if (entry.kind == Kind::boolean) {
      if (rest.empty()) return parse_protocol("b1", ByteOrder::none);
      continue;
    }
    if (entry.kind == Kind::datetime || entry.kind == Kind::timedelta) {
      const std::string protocol = fmt::format("{}8{}", entry.letter, rest);
      return parse_protocol(protocol, native_byte_order());
    }
    std::int64_t bits = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bits);
    if (error != std::errc() || end != rest.data() + rest.size() || bits % 8 != 0) continue;
    return parse_protocol(fmt::format("{}{}", entry.letter, bits / 8), native_byte_order());
  }
  return std::nullopt;
}

}  // namespace

ByteOrder native_byte_order() noexcept {
  return std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;
}

std::int64_t DType::swap_unit() const noexcept {
  switch (kind) {
    case Kind::complex:
    case Kind::long_complex:
      return itemsize / 2;
    case Kind::text:
      return kCodePointBytes;
    case Kind::bytes:
    case Kind::opaque:
      return 1;
    default:
      return itemsize;
  }
}

DType DType::native() const {
  DType copy = *this;
  if (byte_order != ByteOrder::none) copy.byte_order = native_byte_order();
  return copy;
}

bool DType::is_native() const noexcept { return byte_order == ByteOrder::none || byte_order == native_byte_order(); }

bool DType::is_numeric() const noexcept { return kind <= Kind::complex; }

std::string DType::str() const {
  const char order = byte_order == ByteOrder::little ? '<' : byte_order == ByteOrder::big ? '>' : '|';
  const std::int64_t number = kind == Kind::text ? itemsize / kCodePointBytes : itemsize;
  // NumPy gives U its order even where nothing is there to swap.
  const char shown = kind == Kind::text && order == '|' ? '<' : order;
  std::string text = fmt::format("{}{}{}", shown, named(kind).letter, number);
  if (!unit.empty()) text += '[' + unit + ']';
  return text;
}

std::string DType::name() const {
  switch (kind) {
    case Kind::boolean:
      return "bool";
    case Kind::datetime:
    case Kind::timedelta:
      return unit.empty() ? std::string(named(kind).name) : fmt::format("{}[{}]", named(kind).name, unit);
    case Kind::bytes:
    case Kind::text:
    case Kind::opaque:
      return str();
    default:
      return fmt::format("{}{}", named(kind).name, itemsize * 8);
  }
}

std::optional<DType> parse_dtype(std::string_view text) {
  if (text.empty()) return std::nullopt;
  ByteOrder order = native_byte_order();
  std::string_view rest = text;
  switch (text[0]) {
    case '<':
      order = ByteOrder::little;
      rest.remove_prefix(1);
      return parse_protocol(rest, order);
    case '>':
      order = ByteOrder::big;
      rest.remove_prefix(1);
      return parse_protocol(rest, order);
    case '|':
    case '=':
      rest.remove_prefix(1);
      return parse_protocol(rest, order);
    default:
      break;
  }
  if (text == "?") return parse_protocol("b1", ByteOrder::none);
  if (std::optional<DType> dtype = parse_name(text)) return dtype;
  return parse_protocol(rest, order);
}

}  // namespace loadstone
