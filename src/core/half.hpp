// IEEE binary16 as a storage type: exact conversions to float, and from float and double with one rounding to nearest
// even.
#pragma once

#include <bit>
#include <cstdint>

namespace loadstone {

struct Half {
  std::uint16_t bits = 0;
};

namespace half_detail {

/// Rounds a binary floating-point number, given as bits, straight to half: no intermediate rounding.
/// `kDigits` is the stored mantissa width (23 or 52), `kBias` the exponent bias of the wider type.
template <class Bits, int kDigits, int kBias>
constexpr std::uint16_t round_to_half(Bits bits) noexcept {
  constexpr int kDropped = kDigits - 10;
  constexpr Bits kMantissaMask = (Bits{1} << kDigits) - 1;
  constexpr Bits kExponentMask = 2 * Bits{kBias} + 1;
  const auto sign = static_cast<std::uint16_t>((bits >> (8 * sizeof(Bits) - 1)) << 15);
  const auto exponent = static_cast<int>((bits >> kDigits) & kExponentMask);
  Bits mantissa = bits & kMantissaMask;
  if (exponent == static_cast<int>(kExponentMask)) {  // infinity, or NaN with the top of its payload kept
    if (mantissa == 0) return sign | 0x7C00;
    const auto payload = static_cast<std::uint16_t>(mantissa >> kDropped);
    return static_cast<std::uint16_t>(sign | 0x7C00 | (payload == 0 ? 1 : payload));
  }
  int half_exponent = exponent - kBias + 15;
  int dropped = kDropped;
  if (half_exponent <= 0) {  // subnormal half (or zero): the implicit bit becomes visible and shifts down
    if (half_exponent < -10) return sign;
    mantissa |= Bits{1} << kDigits;
    dropped += 1 - half_exponent;
    half_exponent = 0;
  } else if (half_exponent >= 31) {
    return sign | 0x7C00;
  }
  const Bits kept = mantissa >> dropped;
  const Bits rest = mantissa & ((Bits{1} << dropped) - 1);
  const Bits middle = Bits{1} << (dropped - 1);
  const bool up = rest > middle || (rest == middle && (kept & 1) != 0);
  // A carry out of the mantissa raises the exponent, and from the largest finite half gives infinity.
  return static_cast<std::uint16_t>(sign | ((static_cast<Bits>(half_exponent) << 10) + kept + (up ? 1 : 0)));
}

}  // namespace half_detail

constexpr Half to_half(float value) noexcept {
  return {half_detail::round_to_half<std::uint32_t, 23, 127>(std::bit_cast<std::uint32_t>(value))};
}

constexpr Half to_half(double value) noexcept {
  return {half_detail::round_to_half<std::uint64_t, 52, 1023>(std::bit_cast<std::uint64_t>(value))};
}

/// All three kinds of number are worked out and one is chosen, so that a loop of these has no branch and goes by
/// vectors.
constexpr float to_float(Half half) noexcept {
  constexpr std::uint32_t kInfinity = 0x7F800000;
  constexpr std::uint32_t kRebias = 112U << 23;
  constexpr float kSmallest = 0x1p-24F;  // of the subnormal halves
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000) << 16;
  const std::uint32_t magnitude = half.bits & 0x7FFF;
  const std::uint32_t shifted = magnitude << 13;
  const auto subnormal =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * kSmallest);
  const std::uint32_t finite = magnitude < 0x400 ? subnormal : shifted + kRebias;
  return std::bit_cast<float>(sign | (magnitude < 0x7C00 ? finite : shifted | kInfinity));
}

}  // namespace loadstone
