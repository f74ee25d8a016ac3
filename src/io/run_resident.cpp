// Resident pages: read buffered or copied out of a mapping, a few at a time, by as many threads as may copy.
#include "core/checked.hpp"
#include "core/pages.hpp"
#include "io/residency.hpp"
#include "io/run.hpp"

#include <algorithm>
#include <utility>

namespace loadstone::io {
namespace {

constexpr std::size_t kMaxPieces = 64;  // destinations of one request
// Setting up a mapping costs about 60 us: 1 MiB is copied in 150.
constexpr std::int64_t kMinMappedBytes = std::int64_t{1} << 20;
// Less budget than this for each copying thread is better spent on something else than mappings.
constexpr std::int64_t kMinWindowShare = kWindowBytes / 2;
// Two huge pages: a request that fills whole ones shares none with its neighbour, which would fault it in as well.
// Measured into fresh pages by two threads: 4 MiB 0.94 to 1.00 of the limit, 1 MiB 0.78 to 0.81.
constexpr std::int64_t kResidentRequestBytes = 2 * kHugePageBytes;
// One request beside the one at work keeps a thread busy; 16 threads on two cores lost a quarter to each other.
constexpr std::int64_t kRequestsPerThread = 2;

/// How many of the `bytes` at `target` reach the last boundary of a huge page among them; all, if there is none.
std::int64_t to_huge_page_end(const std::byte* target, std::int64_t bytes) {
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target));
  const std::int64_t end = round_down(begin + bytes, kHugePageBytes);
  return end > begin ? end - begin : bytes;
}

}  // namespace

Run::Cut Run::issue_resident(OpenFile& file, const Stretch& stretch, std::int64_t offset) {
  const std::int64_t wanted = stretch.end - offset;
  const std::int64_t mappable = mappable_bytes(file, wanted);
  const Range range = queue_.peek(std::max<std::int64_t>(mappable, 1), kMaxPieces);
  if (range.bytes < kMinMappedBytes || !is_present(range)) return issue_resident_read(file, wanted, false);
  CopyTrial& trial = tools_.trial;
  const bool on_trial = !trial.settled();
  const std::optional<Way> way = trial.next(interrupt_.clock());
  if (!way) return Cut::stalled;
  if (*way == Way::buffered) return issue_resident_read(file, wanted, on_trial);
  return issue_mapped(file, on_trial ? std::min(range.bytes, kResidentRequestBytes) : range.bytes, on_trial);
}

/// How much of a stretch may be copied out of one mapping; 0: none, by the rules or for want of budget.
std::int64_t Run::mappable_bytes(const OpenFile& file, std::int64_t wanted) const {
  if (!tools_.chooser.mapped_allowed(file.facts)) return 0;
  const std::int64_t quarter = tools_.ledger.limit_bytes() / 4 / tools_.copiers.threads();
  return quarter < kMinWindowShare ? 0 : std::min({wanted, kWindowBytes, round_down(quarter, kPieceBytes)});
}

bool Run::is_present(const Range& range) noexcept {
  std::int64_t at = range.offset;
  for (std::uint64_t i = range.first_read; at < range.offset + range.bytes; ++i) {
    const Read& read = queue_[i].read;
    const std::span<const std::byte> rest = read.destination.subspan(static_cast<std::size_t>(at - read.offset));
    const auto bytes = std::min(static_cast<std::int64_t>(rest.size()), range.offset + range.bytes - at);
    if (!pages_are_present(rest.first(static_cast<std::size_t>(bytes)))) return false;
    at += bytes;
  }
  return true;
}

Run::Cut Run::issue_resident_read(OpenFile& file, std::int64_t wanted, bool on_trial) {
  const EngineSettings& settings = tools_.settings;
  const std::int64_t size = settings.request_bytes > 0 ? settings.request_bytes : kResidentRequestBytes;
  const std::int64_t most_at_once = kRequestsPerThread * tools_.copiers.threads() * size;
  if (!on_trial && settings.depth == 0 && resident_bytes_ >= most_at_once) return Cut::stalled;
  Range range = queue_.peek(std::min(wanted, size), kMaxPieces);
  const Read& first = queue_[range.first_read].read;
  const std::span<std::byte> target = first.destination.subspan(static_cast<std::size_t>(range.offset - first.offset));
  if (static_cast<std::int64_t>(target.size()) >= range.bytes) {
    range.bytes = to_huge_page_end(target.data(), range.bytes);
  }
  const OpIndex index = new_op(file, range, Way::buffered, Mode::buffered);
  Op& op = ops_[index];
  op.resident = true;
  op.on_trial = on_trial;
  live_bytes_ -= std::exchange(op.queued_bytes, 0);  // the depth is what the storage likes, not the memory
  resident_bytes_ += range.bytes;
  ready_.push_back(index);
  return Cut::done;
}

Run::Cut Run::issue_mapped(OpenFile& file, std::int64_t bytes, bool on_trial) {
  MappedCopiers& copiers = tools_.copiers;
  if (!on_trial && in_copiers_ >= kRequestsPerThread * copiers.threads()) return Cut::stalled;
  const OpIndex index = new_op(file, queue_.peek(bytes, kMaxPieces), Way::mapped, Mode::buffered);
  ops_[index].on_trial = on_trial;
  const Op& op = ops_[index];
  ++in_copiers_;
  copiers.add({index, file.buffered.get(), op.offset, op.destinations,
               files_[static_cast<std::size_t>(file.file)].identity, tools_.settings.identity,
               tools_.settings.kernels});
  return Cut::done;
}

}  // namespace loadstone::io
