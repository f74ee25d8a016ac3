#include "core/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/caches.hpp"
#include "core/kernel_sets.hpp"

namespace loadstone {
namespace {

// Where the system does not tell: the smallest level-2 cache of servers of the last ten years.
constexpr std::int64_t kAssumedL2 = std::int64_t{512} << 10;
constexpr std::int64_t kLargestClusterL3 = std::int64_t{32} << 20;
constexpr std::int64_t kClusterShare = 4;

KernelEntry entry_of(const CopyKernels& kernels, bool usable, std::string_view what) {
  return {kernels.name, &kernels, usable, usable ? what : "this processor lacks the instructions"};
}

KernelEntry foreign(std::string_view name) { return {name, nullptr, false, "not built: for other processors"}; }

std::array<KernelEntry, 5> make_table() {
  using namespace kernel_sets;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                      __builtin_cpu_supports("avx512vl") != 0;
  return {entry_of(kGeneric, true, "plain C++"), entry_of(kSse2, true, "128-bit vectors of every x86-64"),
          entry_of(kAvx2, avx2, "256-bit vectors"), entry_of(kAvx512, avx512, "512-bit vectors (F, BW, VL)"),
          foreign("neon")};
#elif defined(__aarch64__)
  return {entry_of(kGeneric, true, "plain C++"), foreign("sse2"), foreign("avx2"), foreign("avx512"),
          entry_of(kNeon, true, "128-bit vectors of every AArch64")};
#else
  return {entry_of(kGeneric, true, "plain C++"), foreign("sse2"), foreign("avx2"), foreign("avx512"), foreign("neon")};
#endif
}

/// What a copy may count on to stay in, source and target together about twice as much: the level-2 cache, or a quarter
/// of a level-3 cache that few cores have (AMD's: 32 MiB for 8). One of a whole socket is slow and everybody's: beyond
/// the level-2 cache it gains nothing (Intel's: seen with 2 MiB of level 2).
std::int64_t cached_total_bytes() {
  const std::int64_t level_2 = cache_bytes(2) > 0 ? cache_bytes(2) : kAssumedL2;
  const std::int64_t level_3 = cache_bytes(3);
  return level_3 > kLargestClusterL3 ? level_2 : std::max(level_2, level_3 / kClusterShare);
}

}  // namespace

std::span<const KernelEntry> kernel_table() {
  static const std::array<KernelEntry, 5> table = make_table();
  return table;
}

const CopyKernels& best_kernels() {
  static const CopyKernels& best = *std::find_if(kernel_table().rbegin(), kernel_table().rend(), [](const auto& entry) {
                                      return entry.usable;
                                    })->kernels;
  return best;
}

const CopyKernels* find_kernels(std::string_view name) {
  for (const KernelEntry& entry : kernel_table()) {
    if (entry.name == name && entry.usable) return entry.kernels;
  }
  return nullptr;
}

std::int64_t stream_total_bytes() {
  static const std::int64_t bytes = cached_total_bytes();
  return bytes;
}

void copy_bytes(std::byte* target, const std::byte* source, std::size_t bytes, std::size_t total,
                const CopyKernels& kernels) noexcept {
  if (std::cmp_less(bytes, kFencedBytes) || std::cmp_less_equal(total, stream_total_bytes())) {
    if (bytes != 0) std::memcpy(target, source, bytes);
    return;
  }
  kernels.stream(target, source, bytes);
  kernels.fence();
}

}  // namespace loadstone
