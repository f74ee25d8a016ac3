// The set of processors with AVX-512 F, BW and VL; this file is compiled for them.
#include "core/kernel_loops.hpp"
#include "core/kernel_sets.hpp"
#include "core/vector_sse2.hpp"

namespace loadstone {
namespace {

template <std::size_t kUnit>
__m128i reversed_places() {
  if constexpr (kUnit == 2) return _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  if constexpr (kUnit == 4) return _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  if constexpr (kUnit == 8) return _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  return _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

struct Vector512 {
  using Register = __m512i;
  using Narrow = Vector128;
  static constexpr std::size_t kLanes = 4;

  static Register load(const std::byte* at) { return _mm512_loadu_si512(at); }
  static void store(std::byte* at, Register value) { _mm512_storeu_si512(at, value); }
  static void stream(std::byte* at, Register value) { _mm512_stream_si512(reinterpret_cast<__m512i*>(at), value); }
  static void fence() { _mm_sfence(); }
  static void leave() { _mm256_zeroupper(); }
  static Register gather(const std::byte* const* lines, std::size_t step, std::size_t at) {
    Register all = _mm512_castsi128_si512(Vector128::load(lines[0] + at));
    all = _mm512_inserti32x4(all, Vector128::load(lines[step] + at), 1);
    all = _mm512_inserti32x4(all, Vector128::load(lines[2 * step] + at), 2);
    return _mm512_inserti32x4(all, Vector128::load(lines[3 * step] + at), 3);
  }

  template <std::size_t kItem>
  static Register zip_low(Register a, Register b) {
    if constexpr (kItem == 1) return _mm512_unpacklo_epi8(a, b);
    if constexpr (kItem == 2) return _mm512_unpacklo_epi16(a, b);
    if constexpr (kItem == 4) return _mm512_unpacklo_epi32(a, b);
    return _mm512_unpacklo_epi64(a, b);
  }
  template <std::size_t kItem>
  static Register zip_high(Register a, Register b) {
    if constexpr (kItem == 1) return _mm512_unpackhi_epi8(a, b);
    if constexpr (kItem == 2) return _mm512_unpackhi_epi16(a, b);
    if constexpr (kItem == 4) return _mm512_unpackhi_epi32(a, b);
    return _mm512_unpackhi_epi64(a, b);
  }
  template <std::size_t kUnit>
  static Register reverse(Register value) {
    return _mm512_shuffle_epi8(value, _mm512_broadcast_i32x4(reversed_places<kUnit>()));
  }
};

}  // namespace

namespace kernel_sets {

constinit const CopyKernels kAvx512 = kernel_loops::make_kernels<Vector512>("avx512");

}  // namespace kernel_sets
}  // namespace loadstone
