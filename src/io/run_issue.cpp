// From reads to requests: pulling, choosing the way, cutting what is read buffered.
#include "core/checked.hpp"
#include "core/pages.hpp"
#include "io/faults.hpp"
#include "io/run.hpp"

#include <fcntl.h>

#include <algorithm>

namespace loadstone::io {
namespace {

// Destinations of one request; the kernel takes 1,024. 1 MiB of 4 KiB runs with gaps between them are 512.
constexpr std::size_t kMaxPieces = 512;
// Reads are pulled ahead so that touching ones join and fresh destinations are populated before their turn.
constexpr std::int64_t kAheadBytes = std::int64_t{48} << 20;
constexpr std::uint64_t kAheadReads = 2048;
constexpr std::uint64_t kMaxPending = std::uint64_t{1} << 16;
constexpr std::int64_t kMostInFlight = 64;  // of requests, for devices that gain from more than is usual
// Less than this from a network mount is not worth finding out; of each way 8 requests are timed, and direct must gain
// a quarter.
constexpr std::int64_t kWorthATrial = std::int64_t{4} << 30;
constexpr int kTrialRequests = 8;
constexpr double kTrialAdvantage = 1.25;
constexpr std::int64_t kSequentialBytes = std::int64_t{128} * 1024;

/// Bytes of gaps go where nobody looks.
void throw_gaps_away(Op& op) {
  const auto is_gap = [](const iovec& piece) { return piece.iov_base == nullptr; };
  if (std::ranges::none_of(op.destinations, is_gap)) return;
  op.gap.resize(static_cast<std::size_t>(kMaxMappedGapBytes));
  for (iovec& piece : op.destinations) {
    if (is_gap(piece)) piece.iov_base = op.gap.data();
  }
}

}  // namespace

void Run::pull() {
  while (!ended_ && !later_ && queue_.uncut() < kAheadReads && queue_.uncut_bytes() < kAheadBytes &&
         queue_.size() < kMaxPending) {
    Read read;
    switch (source_.next(read)) {
      case ReadSource::Next::read:
        if (!accept(read)) return;
        break;
      case ReadSource::Next::later:
        later_ = true;
        break;
      case ReadSource::Next::end:
        ended_ = true;
        break;
    }
  }
}

bool Run::accept(const Read& read) {
  const bool valid = read.file >= 0 && read.file < static_cast<std::int64_t>(files_.size()) && read.offset >= 0 &&
                     checked_add(read.offset, static_cast<std::int64_t>(read.destination.size()));
  if (!valid) {
    fail(make_fault(Code::internal, "io.source", "", "a source asked for a range that cannot be", ""));
    return false;
  }
  counters_.bytes_wanted += static_cast<std::int64_t>(read.destination.size());
  if (!read.destination.empty()) {
    queue_.push(read);
    return true;
  }
  if (Status done = source_.done(read); !done.ok()) fail(std::move(done));
  return !failed();
}

/// The first request settles the depth, so it may always go.
bool Run::may_issue() const noexcept {
  if (free_.empty() || asking_) return false;
  if (tools_.settings.depth > 0 && live_ >= tools_.settings.depth) return false;
  return live_ == 0 || live_bytes_ < ramp_.depth() * request_bytes_;
}

void Run::issue() {
  while (!failed() && may_issue()) {
    pull();
    if (failed() || queue_.all_cut()) return;
    if (issue_next() != Cut::done) return;
  }
}

Run::Cut Run::issue_next() {
  const Range first = queue_.peek(1, 1);  // its place only
  Result<OpenFile*> opened = pool_.acquire(first.file);
  if (!opened.ok()) {
    fail(std::move(opened).status());
    return Cut::failed;
  }
  if (*opened == nullptr) return Cut::stalled;
  OpenFile& file = **opened;
  settle_depth(file);
  const Stretch stretch = tools_.chooser.at(file, first.offset);
  switch (stretch.state) {
    case PieceState::resident:
      return issue_resident(file, stretch, first.offset);
    case PieceState::ask:
      return issue_asking(file, stretch.end - first.offset);
    case PieceState::cold:
      return issue_cold(file, stretch, first.offset);
    case PieceState::busy:  // what was just written, as a rule
      if (const std::optional<Cut> cut = pick_short_runs(file, stretch.end - first.offset)) return *cut;
      break;
    case PieceState::half:
      break;
  }
  return issue_buffered(file, stretch.end - first.offset, false);
}

/// Size and number of requests by the class of the file system, or as the options say.
void Run::settle_depth(const OpenFile& file) {
  const auto device = static_cast<std::int64_t>(file.facts.fs_class);
  if (device_ == device) return;
  device_ = device;
  const EngineSettings& settings = tools_.settings;
  const FsDefaults defaults = defaults_of(file.facts.fs_class);
  request_bytes_ = settings.request_bytes > 0 ? settings.request_bytes : defaults.request_bytes;
  request_bytes_ = std::min(request_bytes_, kMaxRequestBytes);
  const std::int64_t share = defaults.in_flight_per_node / std::max(1, settings.ranks_on_node);
  const std::int64_t depth = settings.depth > 0 ? settings.depth : std::max<std::int64_t>(4, share);
  ramp_ = DepthRamp(depth, settings.depth > 0 ? depth : kMostInFlight, request_bytes_);
}

Run::OpIndex Run::new_op(OpenFile& file, const Range& range, Way way, Mode mode) {
  const OpIndex index = free_.back();
  free_.pop_back();
  Op& op = ops_[index];
  op.file = &file;
  op.first_read = range.first_read;
  op.offset = range.offset;
  op.bytes = range.bytes;
  op.arrived = 0;
  op.first_destination = 0;
  op.block_filled = 0;
  op.way = way;
  op.mode = mode;
  op.cold = false;
  op.resident = false;
  op.handed_back = false;
  op.trial = nullptr;
  op.tries = 1;
  op.pauses = 0;
  op.interruptions = 0;
  queue_.cut(range.bytes, op.destinations);
  throw_gaps_away(op);
  DescriptorPool::pin(file);
  ++live_;
  op.queued_bytes = way == Way::mapped ? 0 : range.bytes;
  live_bytes_ += op.queued_bytes;
  return index;
}

Run::Cut Run::issue_buffered(OpenFile& file, std::int64_t most, bool cold) {
  const Range range = queue_.peek(std::min(most, request_bytes_), kMaxPieces);
  const bool spare = cold && tools_.settings.page_cache == "spare" && !uncached_refused_;
  const OpIndex index = new_op(file, range, Way::buffered, spare ? Mode::uncached : Mode::buffered);
  ops_[index].cold = cold;
  ready_.push_back(index);
  return Cut::done;
}

Run::Cut Run::issue_asking(OpenFile& file, std::int64_t most) {
  const Range range = queue_.peek(std::min(most, request_bytes_), kMaxPieces);
  const OpIndex index = new_op(file, range, Way::buffered, Mode::nowait);
  ready_.push_back(index);
  asking_ = true;
  return Cut::done;
}

Run::Cut Run::issue_cold(OpenFile& file, const Stretch& stretch, std::int64_t offset) {
  prefault_ahead();
  const std::int64_t most = stretch.end - offset;
  WayTrial* const trial = network_trial(file);
  const bool direct_wanted =
      trial != nullptr ? trial->next() == Way::direct : tools_.chooser.direct_allowed(file.facts);
  Result<Ready> direct = direct_wanted ? ready_for_direct(file) : Result<Ready>(Ready::no);
  if (!direct.ok()) {
    fail(std::move(direct).status());
    return Cut::failed;
  }
  if (*direct == Ready::later) return Cut::stalled;
  const Cut cut = *direct == Ready::yes ? issue_direct(file, most) : issue_read_ahead(file, most);
  if (cut == Cut::done && trial != nullptr && !trial->settled()) {
    Op& op = ops_[ready_.back()];
    op.trial = trial;
    op.started = interrupt_.clock();
  }
  return cut;
}

/// The trial of the file's mount, if much is to come from one that may or may not gain from direct I/O (IO-10).
WayTrial* Run::network_trial(const OpenFile& file) {
  const bool is_open_question =
      file.facts.fs_class == FsClass::network && tools_.chooser.rules().direct == WayRules::Direct::automatic;
  if (!is_open_question || source_.bytes_expected() < kWorthATrial) return nullptr;
  const auto [found, is_new] = tools_.network_trials.try_emplace(file.facts.device, Way::buffered, Way::direct,
                                                                 kTrialRequests, kTrialAdvantage, Judged::by_sum);
  return &found->second;
}

Run::Cut Run::issue_read_ahead(OpenFile& file, std::int64_t most) {
  if (!file.told_sequential && queue_.peek(kSequentialBytes, kMaxPieces).bytes >= kSequentialBytes) {
    file.told_sequential = true;
    ::posix_fadvise(file.buffered.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  return issue_buffered(file, most, true);
}

/// Hands the destinations of reads that are pulled and not yet cut to the prefault thread, joined where they touch.
void Run::prefault_ahead() {
  std::span<std::byte> joined;
  for (std::uint64_t i = std::max(prefaulted_, queue_.last() - queue_.uncut()); i != queue_.last(); ++i) {
    const Read& read = queue_[i].read;
    if (read.staged) continue;
    if (!joined.empty() && joined.data() + joined.size() == read.destination.data()) {
      joined = {joined.data(), joined.size() + read.destination.size()};
      continue;
    }
    if (joined.size() >= static_cast<std::size_t>(kHugePageBytes)) tools_.prefaulter.populate(joined);
    joined = read.destination;
  }
  if (joined.size() >= static_cast<std::size_t>(kPieceBytes)) tools_.prefaulter.populate(joined);
  prefaulted_ = queue_.last();
}

}  // namespace loadstone::io
