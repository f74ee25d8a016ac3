// The set of AArch64. It has no non-temporal stores that a compiler offers for vectors, and its processors notice long
// writes by themselves: stream() is an ordinary copy.
#include <arm_neon.h>

#include "core/kernel_loops.hpp"
#include "core/kernel_sets.hpp"

namespace loadstone {
namespace {

struct VectorNeon {
  using Register = uint8x16_t;
  using Narrow = VectorNeon;
  static constexpr std::size_t kLanes = 1;

  static Register load(const std::byte* at) { return vld1q_u8(reinterpret_cast<const std::uint8_t*>(at)); }
  static void store(std::byte* at, Register value) { vst1q_u8(reinterpret_cast<std::uint8_t*>(at), value); }
  static void stream(std::byte* at, Register value) { store(at, value); }
  static void fence() {}
  static void leave() {}
  static Register gather(const std::byte* const* lines, std::size_t /*step*/, std::size_t at) {
    return load(lines[0] + at);
  }

  template <std::size_t kItem>
  static Register zip_low(Register a, Register b) {
    if constexpr (kItem == 1) return vzip1q_u8(a, b);
    if constexpr (kItem == 2) return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
    if constexpr (kItem == 4) return vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
  }
  template <std::size_t kItem>
  static Register zip_high(Register a, Register b) {
    if constexpr (kItem == 1) return vzip2q_u8(a, b);
    if constexpr (kItem == 2) return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
    if constexpr (kItem == 4) return vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
  }
  template <std::size_t kUnit>
  static Register reverse(Register value) {
    if constexpr (kUnit == 2) return vrev16q_u8(value);
    if constexpr (kUnit == 4) return vrev32q_u8(value);
    if constexpr (kUnit == 8) return vrev64q_u8(value);
    const Register words = vrev64q_u8(value);
    return vextq_u8(words, words, 8);
  }
};

}  // namespace

namespace kernel_sets {

constinit const CopyKernels kNeon = kernel_loops::make_kernels<VectorNeon>("neon");

}  // namespace kernel_sets
}  // namespace loadstone
