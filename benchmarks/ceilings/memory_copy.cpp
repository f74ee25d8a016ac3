// C2, C2f, C3, C6: what memory gives, on all cores at once. Option `how`: "stream" (non-temporal copy, C2), "memcpy"
// (C3), "touch" (first touch alone, C6). The destination is present, or fresh 2 MiB pages made inside the clock (C2f,
// C6).
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

#include "memory.hpp"
#include "protocol.hpp"

namespace {

using Bytes = std::span<std::byte>;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void copy_512(const std::byte* from, std::byte* to, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
  }
  _mm_sfence();
}

void copy_128(const std::byte* from, std::byte* to, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  _mm_sfence();
}
#endif

/// Both start on 64-byte boundaries; what is left of the last 64 bytes is copied plainly.
void stream_copy(const std::byte* from, std::byte* to, std::size_t bytes) {
  std::size_t whole = 0;
#if defined(__x86_64__)
  whole = bytes / 64 * 64;
  (__builtin_cpu_supports("avx512f") ? copy_512 : copy_128)(from, to, whole);
#endif
  std::memcpy(to + whole, from + whole, bytes - whole);
}

void touch(Bytes bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 4096) bytes[at] = std::byte{1};
}

class MemoryCopy final : public bench::Contender {
 public:
  void prepare(const bench::Job& job) override {
    how_ = job.word("how", "stream");
    threads_ = static_cast<std::size_t>(job.number("threads", std::thread::hardware_concurrency()));
    if (how_ != "stream" && how_ != "memcpy" && how_ != "touch") throw std::runtime_error("how: " + how_);
    if (how_ != "touch") source_ = bench::Memory(job.bytes, true);
    if (job.present) destination_ = bench::Memory(job.bytes, true);
  }

  bench::Report run(const bench::Job& job) override {
    if (!job.present) destination_ = bench::Memory(job.bytes, false);
    const Bytes all = destination_.bytes();
    const std::size_t share = (all.size() / threads_ / kStep + 1) * kStep;
    std::vector<std::jthread> workers;
    for (std::size_t begin = 0; begin < all.size(); begin += share) {
      const std::size_t size = std::min(share, all.size() - begin);
      workers.emplace_back([this, all, begin, size] { work(all.subspan(begin, size), begin); });
    }
    workers.clear();
    return {};
  }

  std::string digest(const bench::Job& /*job*/) override { return "{}"; }

 private:
  static constexpr std::size_t kStep = std::size_t{2} << 20;

  void work(Bytes into, std::size_t begin) const {
    if (how_ == "touch") return touch(into);
    const std::byte* from = source_.bytes().data() + begin;
    if (how_ == "stream") return stream_copy(from, into.data(), into.size());
    std::memcpy(into.data(), from, into.size());
  }

  std::string how_;
  std::size_t threads_ = 1;
  bench::Memory source_;
  bench::Memory destination_;
};

}  // namespace

int main() {
  MemoryCopy ceiling;
  return bench::serve(ceiling);
}
