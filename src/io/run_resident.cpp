// Resident pages: read buffered or copied out of a mapping, a few at a time, by as many threads as may copy.
#include "core/checked.hpp"
#include "core/pages.hpp"
#include "io/residency.hpp"
#include "io/run.hpp"

#include <algorithm>
#include <utility>

namespace loadstone::io {
namespace {

constexpr std::size_t kMaxPieces = 512;  // destinations of one request
// Setting up a mapping costs about 60 us, waking a thread 20: 1 MiB is copied in 150.
constexpr std::int64_t kMinCopyBytes = std::int64_t{1} << 20;
// A mapping saves a system call, half a microsecond, for each short run in it; so many pay for it several times over.
constexpr std::size_t kMinMappedRuns = 128;
constexpr std::int64_t kLongestShortRun = 2 * kMaxMappedGapBytes;  // on average, with the gap after it
constexpr std::size_t kMaxMappedPieces = 16384;                    // a gap after every run: 4 MiB of rows of 512 bytes
// Less budget than this for each copying thread is better spent on something else than mappings.
constexpr std::int64_t kMinWindowShare = kWindowBytes / 2;
// Two huge pages: a request that fills whole ones shares none with its neighbour, which would fault it in as well.
// Measured into fresh pages by two threads: 4 MiB 0.94 to 1.00 of the limit, 1 MiB 0.78 to 0.81.
constexpr std::int64_t kResidentRequestBytes = 2 * kHugePageBytes;
// One copy beside the one at work keeps a thread busy.
constexpr std::int64_t kCopiesPerThread = 2;
// Of a copy that is timed: little of a load, and long enough that setting up a mapping weighs as little as it does in
// those of a whole window.
constexpr std::int64_t kTrialBytes = 4 * kHugePageBytes;

/// How many of the `bytes` at `target` reach the last boundary of a huge page among them; all, if there is none.
std::int64_t to_huge_page_end(const std::byte* target, std::int64_t bytes) {
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target));
  const std::int64_t end = round_down(begin + bytes, kHugePageBytes);
  return end > begin ? end - begin : bytes;
}

}  // namespace

/// Long runs are copied by threads of our own: they pull the next one themselves, where a backend's would wait to be
/// asked. Short ones, and those of a backend that was asked for by name, go through the backend.
Run::Cut Run::issue_resident(OpenFile& file, const Stretch& stretch, std::int64_t offset) {
  const std::int64_t wanted = stretch.end - offset;
  const std::int64_t mappable = mappable_bytes(file, wanted);
  const Range range = queue_.peek(std::max(mappable, std::min(wanted, kResidentRequestBytes)), kMaxPieces);
  const bool may_map = mappable >= kMinCopyBytes;
  if (const std::optional<Cut> cut = pick_short_runs(file, wanted)) return *cut;
  if (range.bytes < kMinCopyBytes || !(may_map || tools_.threads_read)) return issue_resident_read(file, wanted);
  if (in_copiers_ >= kCopiesPerThread * tools_.copiers.threads()) return Cut::stalled;
  if (may_map && is_present(range)) return issue_to_present(file, range, mappable);
  if (tools_.threads_read) return issue_copy(file, resident_range(range), Way::buffered, nullptr);
  return issue_resident_read(file, wanted);
}

/// Many short runs with short gaps, as of a split along an inner axis, are picked out of a mapping; empty: there are
/// not so many, or nothing may be mapped.
std::optional<Run::Cut> Run::pick_short_runs(OpenFile& file, std::int64_t wanted) {
  const std::int64_t mappable = mappable_bytes(file, wanted);
  if (mappable < kMinCopyBytes || queue_.peek(kMinCopyBytes, kMaxPieces).bytes >= kMinCopyBytes) return std::nullopt;
  const Range range = queue_.peek(mappable, kMaxMappedPieces, Gaps::mapped);
  if (range.reads < kMinMappedRuns || range.bytes / static_cast<std::int64_t>(range.reads) > kLongestShortRun) {
    return std::nullopt;
  }
  if (in_copiers_ >= kCopiesPerThread * tools_.copiers.threads()) return Cut::stalled;
  return issue_copy(file, range, Way::mapped, nullptr);
}

Run::Cut Run::issue_to_present(OpenFile& file, Range range, std::int64_t mappable) {
  WayTrial& trial = tools_.copy_trial;
  const bool on_trial = tools_.threads_read && !trial.settled();
  WayTrial* const timed = tools_.threads_read ? &trial : nullptr;
  if (on_trial) range = queue_.peek(std::min(range.bytes, kTrialBytes), kMaxPieces);
  const Way way = tools_.threads_read ? trial.next() : Way::mapped;
  if (way == Way::buffered) return issue_copy(file, resident_range(range), way, timed);
  return issue_copy(file, queue_.peek(std::min(range.bytes, mappable), kMaxPieces), way, timed);
}

/// How much of a stretch may be copied out of one mapping; 0: none, by the rules or for want of budget.
std::int64_t Run::mappable_bytes(const OpenFile& file, std::int64_t wanted) const {
  if (!tools_.chooser.mapped_allowed(file.facts)) return 0;
  const std::int64_t quarter = tools_.ledger.limit_bytes() / 4 / tools_.copiers.threads();
  return quarter < kMinWindowShare ? 0 : std::min({wanted, kWindowBytes, round_down(quarter, kPieceBytes)});
}

/// Asked once for a range, though it is cut into several copies.
bool Run::is_present(const Range& range) noexcept {
  const std::int64_t end = range.offset + range.bytes;
  if (present_.file == range.file && present_.begin <= range.offset && end <= present_.end) return present_.is_there;
  present_ = {range.file, range.offset, end, true};
  std::int64_t at = range.offset;
  for (std::uint64_t i = range.first_read; at < end && present_.is_there; ++i) {
    const Read& read = queue_[i].read;
    at = std::max(at, read.offset);  // behind a gap
    const std::span<const std::byte> rest = read.destination.subspan(static_cast<std::size_t>(at - read.offset));
    const auto bytes = std::min(static_cast<std::int64_t>(rest.size()), end - at);
    present_.is_there = pages_are_present(rest.first(static_cast<std::size_t>(bytes)));
    at += bytes;
  }
  return present_.is_there;
}

/// The first request of a range: as long as is best, and up to the end of a huge page where its destination is one
/// piece.
Range Run::resident_range(Range range) noexcept {
  const std::int64_t size = tools_.settings.request_bytes;
  range = queue_.peek(std::min(range.bytes, size > 0 ? size : kResidentRequestBytes), kMaxPieces);
  const std::span<const std::byte> target = target_of(range);
  if (static_cast<std::int64_t>(target.size()) >= range.bytes) {
    range.bytes = to_huge_page_end(target.data(), range.bytes);
  }
  return range;
}

/// Where the start of a range goes, as far as that is one piece without gaps.
std::span<const std::byte> Run::target_of(const Range& range) noexcept {
  const Read& first = queue_[range.first_read].read;
  const std::byte* const begin = first.destination.data() + (range.offset - first.offset);
  const std::byte* end = first.destination.data() + first.destination.size();
  std::int64_t at = first.offset + static_cast<std::int64_t>(first.destination.size());
  for (std::uint64_t i = range.first_read + 1; at < range.offset + range.bytes; ++i) {
    const Read& read = queue_[i].read;
    if (read.offset != at || read.destination.data() != end) break;
    at += static_cast<std::int64_t>(read.destination.size());
    end += read.destination.size();
  }
  return {begin, end};
}

Run::Cut Run::issue_resident_read(OpenFile& file, std::int64_t wanted) {
  // What is staged is used at once: more of it than a block would leave the cache before that.
  const bool staged = queue_[queue_.peek(1, 1).first_read].read.staged;
  const std::int64_t copies = staged ? 1 : kCopiesPerThread * tools_.copiers.threads();
  if (tools_.settings.depth == 0 && resident_bytes_ >= copies * kResidentRequestBytes) return Cut::stalled;
  const Range range = resident_range(queue_.peek(std::min(wanted, kResidentRequestBytes), kMaxPieces));
  const OpIndex index = new_op(file, range, Way::buffered, Mode::buffered);
  Op& op = ops_[index];
  op.resident = true;
  live_bytes_ -= std::exchange(op.queued_bytes, 0);  // the depth is what the storage likes, not the memory
  resident_bytes_ += range.bytes;
  ready_.push_back(index);
  return Cut::done;
}

Run::Cut Run::issue_copy(OpenFile& file, const Range& range, Way way, WayTrial* trial) {
  const OpIndex index = new_op(file, range, way, Mode::buffered);
  Op& op = ops_[index];
  op.trial = trial;
  live_bytes_ -= std::exchange(op.queued_bytes, 0);
  ++in_copiers_;
  tools_.copiers.add(job_of(index));
  return Cut::done;
}

}  // namespace loadstone::io
