// Memory that is refused, at every place where one rank of a load asks for some (reliability.md T29): the same
// `out_of_memory` on all ranks, nothing hangs or ends the process, and the next load works.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "support/index_shards.hpp"

namespace {

/// Requests of this thread until one is refused; below 1: none will be.
thread_local std::int64_t until_refusal = 0;
/// The same of all threads together.
std::atomic<std::int64_t> until_refusal_anywhere = 0;

/// Whether the request under way is the one.
bool comes_true(std::atomic<std::int64_t>& countdown) {
  return countdown.load(std::memory_order_relaxed) > 0 && countdown.fetch_sub(1) == 1;
}

// NOLINTBEGIN(cppcoreguidelines-owning-memory, cppcoreguidelines-no-malloc): what operator new stands on
void* allocate(std::size_t nbytes) {
  const bool was_armed = until_refusal > 0;
  if (until_refusal > 0) --until_refusal;
  const bool refuse = (was_armed && until_refusal == 0) || comes_true(until_refusal_anywhere);
  return refuse ? nullptr : std::malloc(nbytes == 0 ? 1 : nbytes);
}

void* allocate_or_throw(std::size_t nbytes) {
  void* memory = allocate(nbytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t nbytes) { return allocate_or_throw(nbytes); }
void* operator new[](std::size_t nbytes) { return allocate_or_throw(nbytes); }
void* operator new(std::size_t nbytes, const std::nothrow_t&) noexcept { return allocate(nbytes); }
void* operator new[](std::size_t nbytes, const std::nothrow_t&) noexcept { return allocate(nbytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
// NOLINTEND(cppcoreguidelines-owning-memory, cppcoreguidelines-no-malloc)

namespace loadstone {
namespace {

constexpr int kMostRanks = 3;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSlow = true;
#elif defined(__has_feature)
constexpr bool kIsSlow = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSlow = false;
#endif
// Every place, but for builds in which a load takes ten times as long.
constexpr std::int64_t kStep = kIsSlow ? 9 : 1;
const Shape kShape = {24, 6};

/// What a call came to on one rank.
struct Outcome {
  std::optional<Code> code;  ///< empty: it succeeded
  std::string text;
  std::int64_t wrong = -1;  ///< the first element that is not its global index
};

/// Refuses the n-th request of this thread while it lives; none for n = 0.
class Refusal {
 public:
  explicit Refusal(std::int64_t n) { until_refusal = n; }
  ~Refusal() { until_refusal = 0; }
  Refusal(const Refusal&) = delete;
  Refusal& operator=(const Refusal&) = delete;
  [[nodiscard]] static bool happened() { return until_refusal == 0; }
};

class AllocationTest : public testing::Test {
 protected:
  AllocationTest() {
    test::write_index_shards(directory_, kShape, {7, 0, 9, 8}, {{}, {true, true, 711}});
    paths_ = {directory_.path().string()};
    options_.budget_bytes = std::int64_t{1} << 20;
    options_.deadline_s = 5;  // a hang shall be a failure
  }

  /// One load, whose n-th request is refused. `happened` tells whether there were as many.
  [[nodiscard]] Outcome load_once(const CommPtr& comm, std::int64_t n, bool& happened) const {
    const Refusal refusal(n);
    try {
      const DistributedArray array = load(paths_, options_, comm);
      happened = Refusal::happened();
      until_refusal = 0;
      return {{}, {}, check_(array)};
    } catch (const Error& error) {
      happened = Refusal::happened();
      return {error.code(), error.what()};
    } catch (const std::exception& error) {
      happened = Refusal::happened();
      return {Code::internal, std::string("not typed: ") + error.what()};
    }
  }

  /// Refuses the n-th request of `victim`. False if its load makes fewer.
  [[nodiscard]] bool refuse(std::int64_t n, int ranks, int victim) const {
    bool reached = false;
    std::array<Outcome, kMostRanks> first;
    std::array<Outcome, kMostRanks> second;
    run_threads(ranks, [&](const CommPtr& comm) {
      const auto rank = static_cast<std::size_t>(comm->rank());
      const bool is_victim = comm->rank() == victim;
      bool happened = false;
      first[rank] = load_once(comm, is_victim ? n : 0, happened);
      if (is_victim) reached = happened;
      second[rank] = load_once(comm, 0, happened);
    });
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
      EXPECT_EQ(first[rank].text, first[0].text) << "rank " << rank << " when rank " << victim << " is refused";
      EXPECT_EQ(first[rank].code.value_or(Code::out_of_memory), Code::out_of_memory) << first[rank].text;
      EXPECT_EQ(first[rank].wrong, -1);
      EXPECT_FALSE(second[rank].code) << "the load after it: " << second[rank].text;
      EXPECT_EQ(second[rank].wrong, -1);
    }
    return reached;
  }

  /// @param step  1: every request
  void sweep(int ranks, std::int64_t step) const {
    for (int victim = 0; victim < ranks; ++victim) {
      std::int64_t n = 1;
      while (refuse(n, ranks, victim) && !HasFailure()) n += step;
      if (HasFailure()) FAIL() << "request " << n << " of rank " << victim << " of " << ranks;
      EXPECT_GT(n, 100) << "a load asks for memory more often than that";
    }
  }

  test::TempDir directory_;
  Paths paths_;
  LoadOptions options_;
  std::int64_t (*check_)(const DistributedArray&) = test::first_wrong_element<std::int32_t>;
};

TEST_F(AllocationTest, T29RefusedAtEveryPlaceOfALoad) {
  sweep(1, kStep);
  sweep(2, kStep);
  sweep(3, 7 * kStep);
}

TEST_F(AllocationTest, T29RefusedAtEveryPlaceOfALoadThatIsStagedAndVerified) {
  options_.split = 1;
  options_.dtype = parse_dtype("float64");
  options_.verify = Verify::crc;
  check_ = test::first_wrong_element<double>;
  sweep(2, kStep);
  sweep(3, 7 * kStep);
}

/// All batches, whose n-th request of any thread is refused. Whether there were as many.
bool stream_once(const Paths& paths, const LoadOptions& options, std::int64_t n, std::int64_t& rows) {
  rows = 0;
  std::optional<Code> code;
  LoadOptions given = options;
  until_refusal_anywhere = n;
  try {
    BatchStream stream(paths, 5, std::move(given));
    while (const auto batch = stream.next()) rows += std::ssize(batch->local_bytes()) / (kShape[1] * 4);
  } catch (const Error& error) {
    code = error.code();
  }
  const bool happened = until_refusal_anywhere.exchange(0) <= 0;
  EXPECT_EQ(code.value_or(Code::out_of_memory), Code::out_of_memory);
  EXPECT_TRUE(code || rows == kShape[0]);
  return happened;
}

TEST_F(AllocationTest, T29RefusedAtEveryPlaceOfAStream) {
  std::int64_t n = 1;
  std::int64_t rows = 0;
  while (stream_once(paths_, options_, n, rows) && !HasFailure()) n += kStep;
  EXPECT_FALSE(HasFailure()) << "request " << n;
  EXPECT_EQ(rows, kShape[0]);
}

}  // namespace
}  // namespace loadstone
