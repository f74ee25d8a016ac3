#include "io/run.hpp"

#include "io/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace loadstone::io {
namespace {

constexpr double kPollSeconds = 0.005;
constexpr double kMaxWaitSeconds = 0.02;     // polls come at least every 50 ms, a stop is seen within 100 ms
constexpr double kMixedWaitSeconds = 0.001;  // while copies and reads are both on their way
constexpr double kMinDrainSeconds = 1;       // memory that is given up is lost for good
// Requests in flight where no depth was asked for: those of the deepest ramp, and as many of resident pages.
constexpr std::int64_t kUsualOps = 128;
constexpr std::size_t kMaxNotes = 20;

/// A mapped copy may have had more pieces than a system call takes: the rest counts as not arrived yet.
std::span<const iovec> next_destinations(const Op& op) {
  const auto left = std::span(op.destinations).subspan(op.first_destination);
  return left.first(std::min<std::size_t>(left.size(), IOV_MAX));
}

}  // namespace

Run::Run(const RunTools& tools, std::span<const InputFile> files, ReadSource& source, const Interrupt& interrupt)
    : tools_(tools),
      files_(files),
      source_(source),
      interrupt_(interrupt),
      counters_(tools.counters),
      pool_(tools.opener, tools.backend, files, tools.settings.identity, tools.gate, tools.descriptors, tools.counters),
      ops_(tools.memory.ops) {
  // Never resized later: requests in flight point into it.
  if (ops_.empty()) ops_.resize(static_cast<std::size_t>(std::max(kUsualOps, tools.settings.depth)));
  for (std::size_t i = ops_.size(); i > 0; --i) free_.push_back(static_cast<OpIndex>(i - 1));
  ready_.reserve(ops_.size());
  sleeping_.reserve(ops_.size());
  batch_.reserve(ops_.size());
  copied_.reserve(ops_.size());
  polled_ = interrupt.clock();
}

Run::~Run() {
  // Only an exception out of the source leaves something here.
  if (!nothing_on_its_way()) {
    if (status_.ok()) status_ = cancelled_fault();
    drain();
  }
  tools_.prefaulter.stop_and_wait();
}

Status Run::carry_out() {
  loop();
  if (failed()) drain();
  tools_.prefaulter.stop_and_wait();
  if (!lost_requests_) {
    Status changed = pool_.finish();
    // A file that changed explains what else went wrong with it.
    if (!changed.ok()) {
      if (status_.ok())
        status_ = std::move(changed);
      else
        fail(std::move(changed));
    }
  }
  return std::move(status_);
}

void Run::loop() {
  if (Status polled = source_.poll(); !polled.ok()) return fail(std::move(polled));
  while (!failed()) {
    if (interrupt_.stop.stop_requested()) return fail(cancelled_fault());
    wake_sleepers();
    issue();
    if (failed()) return;
    submit_ready();
    if (nothing_on_its_way()) {
      if (ended_ && queue_.all_cut()) return;
      if (later_) {
        return fail(make_fault(Code::internal, "io.source", "",
                               "a source had nothing to read while nothing was being read", ""));
      }
      continue;
    }
    await();
    if (!failed()) poll_if_due();
  }
}

void Run::submit_ready() {
  const std::int64_t cap = fewer_ > 0 ? fewer_ - in_backend_ : static_cast<std::int64_t>(ready_.size());
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(cap, 0, static_cast<std::int64_t>(ready_.size())));
  if (count == 0) return;
  batch_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Op& op = ops_[ready_[i]];
    const bool direct = op.mode == Mode::direct;
    const std::span<const iovec> pieces =
        op.block.valid() ? std::span<const iovec>(&op.block_piece, 1) : next_destinations(op);
    batch_.push_back({.tag = ready_[i],
                      .operation = Operation::read,
                      .slot = direct ? op.file->direct_slot : op.file->buffered_slot,
                      .offset = op.next_offset(),
                      .iovecs = pieces,
                      .mode = op.mode});
  }
  const int taken = tools_.backend.submit(batch_);
  count_submitted(taken);
  in_backend_ += taken;
  counters_.depth = std::max(counters_.depth, in_backend_);
  ready_.erase(ready_.begin(), ready_.begin() + taken);
}

void Run::count_submitted(int taken) {
  const double now = counters_.counts_files() ? interrupt_.clock() : 0;
  for (int i = 0; i < taken; ++i) {
    Op& op = ops_[ready_[static_cast<std::size_t>(i)]];
    counters_.add_request(op.file->file);
    if (counters_.counts_files()) op.started = now;
  }
}

void Run::wake_sleepers() {
  if (sleeping_.empty()) return;
  const double now = interrupt_.clock();
  const auto awake =
      std::partition(sleeping_.begin(), sleeping_.end(), [&](OpIndex i) { return ops_[i].not_before > now; });
  ready_.insert(ready_.end(), awake, sleeping_.end());
  sleeping_.erase(awake, sleeping_.end());
}

/// Waits for something to come back. While copies are waiting to be made, this thread makes one instead.
void Run::await() {
  const std::int64_t bytes_before = counters_.bytes_read();
  const bool copying = in_copiers_ > 0;
  const bool helped = copying && tools_.copiers.help();
  const double before = interrupt_.clock();  // copying is no waiting
  bool came_back = helped;
  if (copying) {
    tools_.copiers.collect(copied_, helped || in_backend_ > 0 ? 0 : kMaxWaitSeconds);
    came_back = came_back || !copied_.empty();
    take_copied();
  }
  // After the last copy nothing may be left to wait for: the next one comes first.
  if (in_backend_ > 0 || !copying) {
    Interrupt slice = interrupt_;
    slice.deadline_s = in_copiers_ > 0 ? kMixedWaitSeconds : longest_wait();
    home_ = tools_.backend.wait(came_back ? 0 : 1, slice);
    take_home();
  }
  const double waited = interrupt_.clock() - before;
  counters_.seconds_waiting += waited;
  const bool progress = counters_.bytes_read() != bytes_before;
  waited_ = progress ? 0 : waited_ + waited;
  if (!progress) check_deadline();
}

/// The source may throw out of any of these: what is not taken yet stays for drain().
void Run::take_home() {
  while (!home_.empty()) {
    const Completion completion = home_.front();
    home_ = home_.subspan(1);
    complete(completion);
  }
}

void Run::take_copied() {
  while (!copied_.empty()) {
    const Copiers::Done done = copied_.back();
    copied_.pop_back();
    on_copied(done);
  }
}

double Run::longest_wait() const {
  double longest = std::min(kMaxWaitSeconds, interrupt_.deadline_s);
  const double now = sleeping_.empty() ? 0 : interrupt_.clock();
  for (const OpIndex i : sleeping_) longest = std::min(longest, std::max(0.0005, ops_[i].not_before - now));
  return longest;
}

void Run::poll_if_due() {
  const double now = interrupt_.clock();
  if (now - polled_ < kPollSeconds) return;
  polled_ = now;
  if (Status status = source_.poll(); !status.ok()) fail(std::move(status));
}

void Run::check_deadline() {
  if (waited_ < interrupt_.deadline_s || failed()) return;
  const Op* oldest = nullptr;
  for (const Op& op : ops_) {
    if (op.file != nullptr && (oldest == nullptr || op.first_read < oldest->first_read)) oldest = &op;
  }
  if (oldest != nullptr) fail(deadline_fault(context_of(*oldest), live_bytes_, waited_));
}

void Run::fail(Status status) {
  if (status_.ok()) {
    status_ = std::move(status);
    return;
  }
  std::vector<std::string>& notes = status_.failure().notes;
  if (notes.size() < kMaxNotes)
    notes.push_back(status.failure().first().path + ": " + status.failure().first().message);
}

/// After a failure: lets everything in flight come home; what is not submitted is forgotten. A stop does not cut this
/// short.
void Run::drain() {
  for (const OpIndex i : std::exchange(ready_, {})) release_op(i);
  for (const OpIndex i : std::exchange(sleeping_, {})) release_op(i);
  for (OpIndex i = 0; i < ops_.size(); ++i) {
    if (ops_[i].file != nullptr && ops_[i].way != Way::mapped) tools_.backend.cancel(i);
  }
  // With one thread for copies it would be this one that makes them.
  tools_.copiers.give_up_waiting();
  Interrupt patient;
  patient.clock = interrupt_.clock;
  patient.deadline_s = kMaxWaitSeconds;
  double waited = 0;
  take_home();
  take_copied();
  while (in_backend_ > 0 || in_copiers_ > 0) {
    const double before = interrupt_.clock();
    tools_.copiers.collect(copied_, in_backend_ > 0 ? 0 : kMaxWaitSeconds);
    if (in_backend_ > 0) home_ = tools_.backend.wait(1, patient);
    waited = home_.empty() && copied_.empty() ? waited + (interrupt_.clock() - before) : 0;
    take_home();
    take_copied();
    if (waited >= std::max(interrupt_.deadline_s, kMinDrainSeconds)) return give_up_on_requests();
  }
}

/// The kernel may still write to these destinations: say so, and never use their memory again.
void Run::give_up_on_requests() {
  lost_requests_ = true;
  pool_.hand_over(tools_.memory.descriptors);
  std::vector<std::string>& notes = status_.failure().notes;
  for (const Op& op : ops_) {
    if (op.file == nullptr) continue;
    notes.push_back(fmt::format("{}: the read of {} bytes at {} never came back: its destination is still in use",
                                op.file->path, op.bytes, op.offset));
  }
}

}  // namespace loadstone::io
