#include "pattern.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace bench {

Pattern::Pattern(std::int64_t block_bytes, std::int64_t threads, Fetch fetch)
    : block_bytes_(block_bytes), threads_(threads), fetch_(std::move(fetch)) {}

void Pattern::prepare(const Job& job) {
  if (job.action == "scan") throw std::runtime_error("a pattern reads bytes, it does not scan headers");
  if (job.present) result_ = Memory(job.bytes, true);
}

void Pattern::fill(const Layout& layout, const Job& job, std::int64_t begin, std::span<std::byte> into) const {
  const std::int64_t end = begin + static_cast<std::int64_t>(into.size());
  const std::vector<Range> pieces = cut(layout, begin, end, job.number("block", block_bytes_));
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    Memory scratch;
    try {
      for (std::size_t i = next++; i < pieces.size(); i = next++) {
        fetch_(layout, pieces[i], into.data() + pieces[i].at, scratch);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::int64_t i = 1; i < job.number("threads", threads_); ++i) workers.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

void Pattern::stream(const Layout& layout, const Job& job) {
  const std::int64_t batch = std::max<std::int64_t>(1, job.cap_bytes / 2);
  const Memory memory(std::min(batch, layout.bytes), false);
  for (std::int64_t begin = 0; begin < layout.bytes; begin += batch) {
    const std::int64_t size = std::min(batch, layout.bytes - begin);
    const std::span<std::byte> into = memory.bytes().first(static_cast<std::size_t>(size));
    fill(layout, job, begin, into);
    streamed_.add(into);
  }
}

Report Pattern::run(const Job& job) {
  const double start = seconds_now();
  const Layout layout = find_ranges(job);
  const double found = seconds_now();
  if (job.action == "stream") {
    stream(layout, job);
  } else {
    if (!job.present) result_ = Memory(layout.bytes, false);
    fill(layout, job, 0, result_.bytes());
  }
  return {{{"header", found - start}, {"read", seconds_now() - found}}, {}};
}

std::string Pattern::digest(const Job& job) {
  return job.action == "stream" ? streamed_.take() : digest_of_pieces(result_.bytes(), job.pieces);
}

}  // namespace bench
