#include "core/caches.hpp"

#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace loadstone {
namespace {

#if defined(__x86_64__)

// Leaves that describe one cache each by subleaf: AMD's first, whose processors leave the other one empty.
constexpr unsigned kLeaves[] = {0x8000001DU, 4U};
constexpr unsigned kMostCaches = 8;

/// The system's own figure (sysconf) may be that of all level-3 caches of a socket.
std::int64_t told_by_processor(unsigned level) {
  constexpr unsigned kNone = 0;
  constexpr unsigned kInstructions = 2;
  for (const unsigned leaf : kLeaves) {
    for (unsigned cache = 0; cache < kMostCaches; ++cache) {
      unsigned a = 0;
      unsigned b = 0;
      unsigned c = 0;
      unsigned d = 0;
      if (__get_cpuid_count(leaf, cache, &a, &b, &c, &d) == 0) break;
      const unsigned type = a & 0x1FU;
      if (type == kNone) break;
      if (type == kInstructions || ((a >> 5U) & 7U) != level) continue;
      const std::int64_t ways = (b >> 22U) + 1;
      const std::int64_t partitions = ((b >> 12U) & 0x3FFU) + 1;
      const std::int64_t line = (b & 0xFFFU) + 1;
      return ways * partitions * line * (std::int64_t{c} + 1);
    }
  }
  return 0;
}

#else

std::int64_t told_by_processor(unsigned /*level*/) { return 0; }

#endif

std::int64_t told_by_system(int level) {
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  return ::sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#else
  return 0;
#endif
}

}  // namespace

std::int64_t cache_bytes(int level) {
  const std::int64_t told = told_by_processor(static_cast<unsigned>(level));
  if (told > 0) return told;
  const std::int64_t said = told_by_system(level);
  return said > 0 ? said : 0;
}

}  // namespace loadstone
