#include "loader/test_values.hpp"

#include <array>
#include <complex>
#include <cstring>

#include "core/convert.hpp"
#include "core/half.hpp"

namespace loadstone::loader {
namespace {

/// Top bits of a random word as a fraction in [0, 1).
template <int kBits>
double fraction(std::uint64_t word) {
  return static_cast<double>(word >> (64 - kBits)) / static_cast<double>(std::uint64_t{1} << kBits);
}

/// One element of type T from a draw: (seed, index) for random, the index itself otherwise.
template <class T>
struct Maker {
  static T random(std::uint64_t word) { return static_cast<T>(word); }
  static T index(std::uint64_t i) {
    constexpr int kBits = static_cast<int>(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);
    return kBits == 64 ? static_cast<T>(i) : static_cast<T>(i & ((std::uint64_t{1} << (kBits % 64)) - 1));
  }
};

template <>
struct Maker<bool> {
  static bool random(std::uint64_t word) { return (word >> 63) != 0; }
  static bool index(std::uint64_t i) { return i % 2 != 0; }
};

template <>
struct Maker<float> {
  static float random(std::uint64_t word) { return static_cast<float>(fraction<24>(word)); }
  static float index(std::uint64_t i) { return static_cast<float>(i % (std::uint64_t{1} << 24)); }
};

template <>
struct Maker<double> {
  static double random(std::uint64_t word) { return fraction<53>(word); }
  static double index(std::uint64_t i) { return static_cast<double>(i % (std::uint64_t{1} << 53)); }
};

template <>
struct Maker<Half> {
  static Half random(std::uint64_t word) { return to_half(fraction<11>(word)); }
  static Half index(std::uint64_t i) { return to_half(static_cast<double>(i % 2048)); }
};

template <class Part>
struct Maker<std::complex<Part>> {
  static std::complex<Part> random(std::uint64_t word) {
    return {Maker<Part>::random(word), Maker<Part>::random(mixed(word, 1))};
  }
  static std::complex<Part> index(std::uint64_t i) { return {Maker<Part>::index(i), Part{0}}; }
};

template <class T>
void fill(Fill fill, std::uint64_t seed, std::int64_t first, std::span<std::byte> out) {
  for (std::size_t i = 0; i < out.size() / sizeof(T); ++i) {
    const std::uint64_t at = static_cast<std::uint64_t>(first) + i;
    const T value = fill == Fill::index ? Maker<T>::index(at) : Maker<T>::random(mixed(seed, at));
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
}

template <class T8, class T16, class T32, class T64>
void fill_integer(std::int64_t itemsize, Fill how, std::uint64_t seed, std::int64_t first, std::span<std::byte> out) {
  switch (itemsize) {
    case 1:
      return fill<T8>(how, seed, first, out);
    case 2:
      return fill<T16>(how, seed, first, out);
    case 4:
      return fill<T32>(how, seed, first, out);
    default:
      return fill<T64>(how, seed, first, out);
  }
}

}  // namespace

std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) noexcept {
  std::uint64_t z = number * 0x9E3779B97F4A7C15ULL + seed * 0xD1342543DE82EF95ULL + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

void fill_values(const DType& dtype, Fill how, std::uint64_t seed, std::int64_t first, std::span<std::byte> out) {
  switch (dtype.kind) {
    case Kind::boolean:
      return fill<bool>(how, seed, first, out);
    case Kind::signed_integer:
      return fill_integer<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(dtype.itemsize, how, seed, first, out);
    case Kind::unsigned_integer:
      return fill_integer<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(dtype.itemsize, how, seed, first,
                                                                                     out);
    case Kind::complex:
      return dtype.itemsize == 8 ? fill<std::complex<float>>(how, seed, first, out)
                                 : fill<std::complex<double>>(how, seed, first, out);
    default:
      if (dtype.itemsize == 2) return fill<Half>(how, seed, first, out);
      return dtype.itemsize == 4 ? fill<float>(how, seed, first, out) : fill<double>(how, seed, first, out);
  }
}

double sum_of_values(const DType& dtype, std::span<const std::byte> elements) {
  const DType wide{dtype.kind == Kind::complex ? Kind::complex : Kind::floating,
                   dtype.kind == Kind::complex ? 16 : 8,
                   native_byte_order(),
                   {}};
  const ConvertRow convert = find_convert_row(dtype, wide, Casting::lossy);
  double sum = 0;
  const auto item = static_cast<std::size_t>(dtype.itemsize);
  for (std::size_t at = 0; at + item <= elements.size(); at += item) {
    std::array<double, 2> value{};
    convert(elements.data() + at, reinterpret_cast<std::byte*>(value.data()), 1);
    sum += value[0];
  }
  return sum;
}

}  // namespace loadstone::loader
