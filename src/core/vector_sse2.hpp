// Vectors of 128 bits on x86-64; included by the files of the x86 sets, each of which gets its own copy.
#pragma once

#include <immintrin.h>

#include <cstddef>

namespace loadstone {
namespace {

struct Vector128 {
  using Register = __m128i;
  using Narrow = Vector128;
  static constexpr std::size_t kLanes = 1;

  static Register load(const std::byte* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }
  static void store(std::byte* at, Register value) { _mm_storeu_si128(reinterpret_cast<__m128i*>(at), value); }
  static void stream(std::byte* at, Register value) { _mm_stream_si128(reinterpret_cast<__m128i*>(at), value); }
  static void fence() { _mm_sfence(); }
  static void leave() {}
  static Register gather(const std::byte* const* lines, std::size_t /*step*/, std::size_t at) {
    return load(lines[0] + at);
  }

  template <std::size_t kItem>
  static Register zip_low(Register a, Register b) {
    if constexpr (kItem == 1) return _mm_unpacklo_epi8(a, b);
    if constexpr (kItem == 2) return _mm_unpacklo_epi16(a, b);
    if constexpr (kItem == 4) return _mm_unpacklo_epi32(a, b);
    return _mm_unpacklo_epi64(a, b);
  }
  template <std::size_t kItem>
  static Register zip_high(Register a, Register b) {
    if constexpr (kItem == 1) return _mm_unpackhi_epi8(a, b);
    if constexpr (kItem == 2) return _mm_unpackhi_epi16(a, b);
    if constexpr (kItem == 4) return _mm_unpackhi_epi32(a, b);
    return _mm_unpackhi_epi64(a, b);
  }

  // Without a byte shuffle (SSSE3): bytes change places within pairs, then pairs within words.
  template <std::size_t kUnit>
  static Register reverse(Register value) {
    value = _mm_or_si128(_mm_slli_epi16(value, 8), _mm_srli_epi16(value, 8));
    if constexpr (kUnit == 2) return value;
    constexpr int kPairs = kUnit == 4 ? _MM_SHUFFLE(2, 3, 0, 1) : _MM_SHUFFLE(0, 1, 2, 3);
    value = _mm_shufflehi_epi16(_mm_shufflelo_epi16(value, kPairs), kPairs);
    if constexpr (kUnit <= 8) return value;
    return _mm_shuffle_epi32(value, _MM_SHUFFLE(1, 0, 3, 2));
  }
};

}  // namespace
}  // namespace loadstone
