#include "core/convert.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/half.hpp"
#include "core/transfer.hpp"

namespace loadstone {
namespace {

/// NumPy's bool is a byte of which any bit counts.
struct Bool {
  std::uint8_t byte = 0;
};

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr bool kIsReal = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

/// Halves compute as floats, bools as bytes of 0 or 1.
template <class T>
auto as_number(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_float(value);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<std::uint8_t>(value.byte != 0 ? 1 : 0);
  } else {
    return value;
  }
}

template <class T, class Number>
T from_number(Number number) {
  if constexpr (std::is_same_v<T, Half>) {
    if constexpr (std::is_same_v<Number, double>) {
      return to_half(number);
    } else {
      // Integers that a float rounds are beyond the largest half, so that nothing is rounded twice.
      return to_half(static_cast<float>(number));
    }
  } else if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<std::uint8_t>(number != Number{} ? 1 : 0)};
  } else {
    return static_cast<T>(number);
  }
}

/// 2^n for n up to 64, exact in every type that is asked for it.
template <class Float>
constexpr Float power_of_two(int n) {
  Float power = 1;
  for (int i = 0; i < n; ++i) power *= 2;
  return power;
}

/// Whether trunc(value) is an Integer. Both bounds are powers of two, so the comparisons are exact; NaN fails them.
template <class Integer, class Float>
bool truncates_into(Float value) {
  const Float whole = std::trunc(value);
  const Float high = power_of_two<Float>(std::numeric_limits<Integer>::digits);
  const Float low = std::is_signed_v<Integer> ? -high : Float{0};
  return whole >= low && whole < high;
}

template <class T, bool kChecked, class S>
bool convert_one(S source, T& target) {
  const auto number = as_number(source);
  using Number = decltype(number);
  using Plain = std::remove_const_t<Number>;
  if constexpr (std::is_integral_v<T> && std::is_integral_v<Plain>) {
    target = static_cast<T>(number);
    return !std::in_range<T>(number);
  } else if constexpr (std::is_integral_v<T>) {
    const bool fits = truncates_into<T>(number);
    target = fits ? static_cast<T>(number) : T{0};
    return !fits || (kChecked && static_cast<Plain>(target) != number);
  } else if constexpr (std::is_same_v<T, Bool>) {
    target = from_number<T>(number);
    return kChecked && number != Plain{0} && number != Plain{1};
  } else {
    target = from_number<T>(number);
    if constexpr (!kChecked) return false;
    if constexpr (std::is_integral_v<Plain>) {
      // The way back may not fit: a float that was rounded up to 2^63 is no int64.
      const auto back = as_number(target);
      return !truncates_into<Plain>(back) || static_cast<Plain>(back) != number;
    } else {
      return static_cast<Plain>(as_number(target)) != number && number == number;
    }
  }
}

template <class S, class T, bool kChecked>
bool convert_element(S source, T& target) {
  if constexpr (kIsComplex<S>) {
    using Part = typename T::value_type;
    Part real{};
    Part imaginary{};
    const bool lost_real = convert_one<Part, kChecked>(source.real(), real);
    const bool lost_imaginary = convert_one<Part, kChecked>(source.imag(), imaginary);
    target = T(real, imaginary);
    return lost_real || lost_imaginary;
  } else if constexpr (kIsComplex<T>) {
    typename T::value_type real{};
    const bool lost = convert_one<typename T::value_type, kChecked>(source, real);
    target = T(real);
    return lost;
  } else {
    return convert_one<T, kChecked>(source, target);
  }
}

template <class S, class T, bool kChecked>
bool convert_row(const std::byte* source, std::byte* target, std::int64_t n) {
  bool lost = false;
  for (std::int64_t i = 0; i < n; ++i) {
    S from;
    T to{};
    std::memcpy(&from, source + i * static_cast<std::int64_t>(sizeof(S)), sizeof(S));
    lost |= convert_element<S, T, kChecked>(from, to);
    std::memcpy(target + i * static_cast<std::int64_t>(sizeof(T)), &to, sizeof(T));
  }
  return lost;
}

template <class... Ts>
struct TypeList {
  static constexpr std::size_t kSize = sizeof...(Ts);
};
using Numeric = TypeList<Bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                         std::uint32_t, std::uint64_t, Half, float, double, std::complex<float>, std::complex<double>>;
constexpr std::size_t kNumeric = Numeric::kSize;

int index_of(const DType& dtype) {
  const int step = dtype.itemsize == 1 ? 0 : dtype.itemsize == 2 ? 1 : dtype.itemsize == 4 ? 2 : 3;
  switch (dtype.kind) {
    case Kind::boolean:
      return 0;
    case Kind::signed_integer:
      return 1 + step;
    case Kind::unsigned_integer:
      return 5 + step;
    case Kind::floating:
      return 8 + step;
    case Kind::complex:
      return dtype.itemsize == 8 ? 12 : 13;
    default:
      return -1;
  }
}

using Row = std::array<ConvertRow, kNumeric>;
using Table = std::array<Row, kNumeric>;

template <class S, bool kChecked, class... Ts>
constexpr Row make_row(TypeList<Ts...>) {
  const auto entry = []<class T>() -> ConvertRow {
    if constexpr (kIsComplex<S> && !kIsComplex<T>) {
      return nullptr;  // the imaginary part has no place to go
    } else {
      return &convert_row<S, T, kChecked>;
    }
  };
  return { entry.template operator()<Ts>()... };
}

template <bool kChecked, class... Ss>
constexpr Table make_table(TypeList<Ss...> types) {
  return {make_row<Ss, kChecked>(types)...};
}

constexpr Table kLossyTable = make_table<false>(Numeric{});
constexpr Table kCheckedTable = make_table<true>(Numeric{});

const char* reason(const DType& source, const DType& target, bool lossy_loses, const std::byte* value) {
  if (source.kind == Kind::floating) {
    double number = 0;
    find_convert_row(source, {Kind::floating, 8, native_byte_order(), {}}, Casting::lossy)(
        value, reinterpret_cast<std::byte*>(&number), 1);
    if (std::isnan(number)) return "is NaN";
    if (!lossy_loses && target.kind != Kind::floating && target.kind != Kind::boolean) return "is not a whole number";
  }
  if (lossy_loses) return "is out of range";
  return target.kind == Kind::boolean ? "is neither 0 nor 1" : "would be rounded";
}

}  // namespace

ConvertRow find_convert_row(const DType& source, const DType& target, Casting casting) {
  const int from = index_of(source);
  const int to = index_of(target);
  if (from < 0 || to < 0) return nullptr;
  const Table& table = casting == Casting::checked ? kCheckedTable : kLossyTable;
  return table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

LostInRow first_lost(const std::byte* source, const DType& source_dtype, const DType& target_dtype, std::int64_t n,
                     Casting casting) {
  const ConvertRow convert = find_convert_row(source_dtype, target_dtype, casting);
  const ConvertRow lossy = find_convert_row(source_dtype, target_dtype, Casting::lossy);
  std::array<std::byte, 16> scratch{};
  for (std::int64_t i = 0; i < n; ++i) {
    const std::byte* const element = source + i * source_dtype.itemsize;
    if (convert(element, scratch.data(), 1)) {
      return {i, reason(source_dtype, target_dtype, lossy(element, scratch.data(), 1), element)};
    }
  }
  return {n, "is lost"};
}

bool can_cast(const DType& from, const DType& to) {
  return from.native() == to.native() || find_convert_row(from, to, Casting::lossy) != nullptr;
}

namespace {

/// Bits of magnitude that every value of a type fits in: integers exactly, floats by their mantissa.
int digits(const DType& dtype) {
  switch (dtype.kind) {
    case Kind::boolean:
      return 1;
    case Kind::signed_integer:
      return static_cast<int>(dtype.itemsize) * 8 - 1;
    case Kind::unsigned_integer:
      return static_cast<int>(dtype.itemsize) * 8;
    default: {
      const std::int64_t part = dtype.kind == Kind::complex ? dtype.itemsize / 2 : dtype.itemsize;
      return part == 2 ? 11 : part == 4 ? 24 : 53;
    }
  }
}

}  // namespace

bool can_cast_lossless(const DType& from, const DType& to) {
  if (from.native() == to.native()) return true;
  if (!can_cast(from, to)) return false;
  const bool from_float = from.kind == Kind::floating || from.kind == Kind::complex;
  const bool to_float = to.kind == Kind::floating || to.kind == Kind::complex;
  if (to.kind == Kind::boolean) return false;
  if (from_float && !to_float) return false;
  if (from.kind == Kind::signed_integer && to.kind == Kind::unsigned_integer) return false;
  return digits(from) <= digits(to);
}

}  // namespace loadstone
