// From completions to done reads: short reads, faults, blocks, credit.
#include "core/checked.hpp"
#include "io/fault_rules.hpp"
#include "io/faults.hpp"
#include "io/run.hpp"
#include "io/window.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace loadstone::io {
namespace {

// Waking a thread takes 20 us: as long as copying this.
constexpr std::int64_t kCopiedHereBytes = std::int64_t{128} << 10;
constexpr int kMaxInterruptions = 1000;  // in a row; after that with pauses, so that the deadline counts
constexpr const char* kNoKernelThread =
    "buffered requests come back from the kernel: it can start no thread for them (ulimit -u)";
constexpr std::size_t kMaxLateNotes = 4;  // all requests in flight to a failed disk say the same

/// Without the gaps, which a mapped copy passes over.
std::int64_t wanted_bytes(const Op& op) {
  std::int64_t bytes = op.bytes;
  for (const iovec& piece : op.destinations) {
    if (piece.iov_base == op.gap.data()) bytes -= static_cast<std::int64_t>(piece.iov_len);
  }
  return bytes;
}

}  // namespace

std::int64_t Op::next_offset() const noexcept { return block.valid() ? block_offset + block_filled : offset + arrived; }

void Op::advance(std::int64_t count) {
  arrived += count;
  auto left = static_cast<std::size_t>(count);
  while (left > 0) {
    iovec& piece = destinations[first_destination];
    const std::size_t take = std::min(left, piece.iov_len);
    piece.iov_base = static_cast<std::byte*>(piece.iov_base) + take;
    piece.iov_len -= take;
    left -= take;
    if (piece.iov_len == 0) ++first_destination;
  }
}

void Run::complete(const Completion& completion) {
  --in_backend_;
  const auto index = static_cast<OpIndex>(completion.tag);
  if (failed()) {
    note_late_error(index, completion.result);
    return release_op(index);
  }
  Op& op = ops_[index];
  if (op.mode == Mode::nowait) return on_answer(index, completion.result);
  if (completion.result < 0) return on_error(index, static_cast<int>(-completion.result));
  counters_.add_read(op.file->file, op.way, completion.result);
  if (counters_.counts_files()) counters_.add_seconds(op.file->file, interrupt_.clock() - op.started);
  op.interruptions = 0;
  if (op.mode == Mode::direct) return on_direct_bytes(index, completion.result);
  if (completion.result == 0) return on_end_of_file(index);
  on_bytes(index, completion.result);
}

/// What comes home while draining may explain the failure. Of what a retry or another way would have got round, and of
/// what was called back, nothing is said.
void Run::note_late_error(OpIndex index, std::int64_t result) {
  const Op& op = ops_[index];
  const auto error = static_cast<int>(-result);
  if (result >= 0 || error == ECANCELED || reaction_to(error, op.mode) != Reaction::fail) return;
  if (status_.failure().notes.size() < kMaxLateNotes) fail(read_fault(context_of(op), error));
}

void Run::on_bytes(OpIndex index, std::int64_t bytes) {
  Op& op = ops_[index];
  op.advance(bytes);
  if (op.arrived == op.bytes) return finish_op(index);
  counters_.add_short_read(op.file->file);
  ready_.push_back(index);
}

/// All that is missing is in the block. Threads that copy take it from there, so that the next request does not wait.
void Run::land_from_block(OpIndex index) {
  Op& op = ops_[index];
  const std::byte* const block = static_cast<const std::byte*>(op.block_piece.iov_base) - op.block_filled;
  CopyJob job = job_of(index);
  job.block = {block + (op.offset + op.arrived - op.block_offset), static_cast<std::size_t>(op.bytes - op.arrived)};
  if (op.bytes - op.arrived > kCopiedHereBytes) {
    live_bytes_ -= std::exchange(op.queued_bytes, 0);
    ++in_copiers_;
    tools_.copiers.add(job);
    return;
  }
  const double started = steady_seconds();
  copy_from_block(job);
  counters_.seconds_copying += steady_seconds() - started;
  op.arrived = op.bytes;
  finish_op(index);
}

/// For the threads that copy: what is missing of a request.
CopyJob Run::job_of(OpIndex index) const {
  const Op& op = ops_[index];
  return {.tag = index,
          .way = op.way,
          .fd = op.file->buffered.get(),
          .offset = op.offset + op.arrived,
          .destinations = std::span<const iovec>(op.destinations).subspan(op.first_destination),
          .gap = op.gap,
          .block = {},
          .identity = files_[static_cast<std::size_t>(op.file->file)].identity,
          .rule = tools_.settings.identity,
          .kernels = tools_.settings.kernels};
}

/// The answer to a request that must not block: how much of the window's start is resident. The rest of it is cold.
void Run::on_answer(OpIndex index, std::int64_t result) {
  Op& op = ops_[index];
  asking_ = false;
  op.mode = Mode::buffered;
  if (result < 0 && result != -EAGAIN && result != -EOPNOTSUPP) return on_error(index, static_cast<int>(-result));
  WayChooser::answer(*op.file, op.offset, result == op.bytes);
  if (result > 0) {
    counters_.add_read(op.file->file, op.way, result);
    op.advance(result);
    if (op.arrived == op.bytes) return finish_op(index);
    counters_.add_short_read(op.file->file);
  }
  op.cold = true;
  if (tools_.chooser.direct_allowed(op.file->facts)) {
    Result<Ready> direct = ready_for_direct(*op.file);
    if (!direct.ok()) {
      fail(std::move(direct).status());
      return release_op(index);
    }
    if (*direct == Ready::yes) make_direct(op);  // else, or without a block, it is read buffered
  }
  ready_.push_back(index);
}

void Run::on_copied(const Copiers::Done& done) {
  --in_copiers_;
  counters_.seconds_copying += done.seconds;
  const auto index = static_cast<OpIndex>(done.tag);
  if (failed()) return release_op(index);
  Op& op = ops_[index];
  if (op.trial != nullptr) std::exchange(op.trial, nullptr)->add(op.way, op.bytes, done.seconds);
  if (done.copied) {
    // What comes out of a block was counted when it came into it.
    if (!op.block.valid()) {
      counters_.add_read(op.file->file, op.way, op.way == Way::mapped ? wanted_bytes(op) : op.bytes);
      counters_.add_seconds(op.file->file, done.seconds);
    }
    op.arrived = op.bytes;
    return finish_op(index);
  }
  // Whatever was in the way, a read by the backend gets round it or says what it is.
  become_buffered(op, op.way == Way::mapped ? "mapped copy not possible" : nullptr);
  ready_.push_back(index);
}

void Run::on_end_of_file(OpIndex index) {
  const Op& op = ops_[index];
  Status changed = pool_.check(*op.file);
  if (!changed.ok()) {
    fail(std::move(changed));
  } else {
    Result<FileIdentity> now = identity_of(op.file->buffered.get(), op.file->path);
    fail(truncated_fault(context_of(op), now.ok() ? now->size : op.file->bytes));
  }
  release_op(index);
}

/// A thread of ours reads what the backend handed back.
void Run::read_here(OpIndex index) {
  Op& op = ops_[index];
  op.handed_back = true;
  op.mode = Mode::buffered;
  counters_.add_fallback(op.file->file, kNoKernelThread);
  ++in_copiers_;
  CopyJob job = job_of(index);
  job.way = Way::buffered;
  tools_.copiers.add(job);
}

void Run::on_error(OpIndex index, int error) {
  Op& op = ops_[index];
  // Nobody has called it back: io_uring reads large buffered ranges by threads of the kernel's, which count as ours.
  if (error == ECANCELED && op.mode != Mode::direct && !op.handed_back) return read_here(index);
  switch (reaction_to(error, op.mode)) {
    case Reaction::again:
      counters_.add_retry(op.file->file);
      if (++op.interruptions > kMaxInterruptions) return try_again_later(index);
      ready_.push_back(index);
      return;
    case Reaction::again_later:
      counters_.add_retry(op.file->file);
      return try_again_later(index);
    case Reaction::buffered_instead: {
      if (op.mode == Mode::uncached) {  // an older kernel: the pages are dropped behind the reads
        uncached_refused_ = true;
        op.mode = Mode::buffered;
        ready_.push_back(index);
        return;
      }
      if (Status refused = on_direct_refused(*op.file, error); !refused.ok()) {
        fail(std::move(refused));
        return release_op(index);
      }
      become_buffered(op, nullptr);
      ready_.push_back(index);
      return;
    }
    case Reaction::reopen:
      return reopen(index);
    case Reaction::fewer_at_once:
      if (in_backend_ == 0 && fewer_ == 1) break;
      fewer_ = std::max<std::int64_t>(1, (fewer_ > 0 ? fewer_ : in_backend_ + 1) / 2);
      counters_.add_retry(op.file->file);
      ready_.push_back(index);
      return;
    case Reaction::fail:
      if (op.tries > tools_.settings.retries) break;
      ++op.tries;
      counters_.add_retry(op.file->file);
      ready_.push_back(index);
      return;
  }
  fail(read_fault(context_of(op), error));
  release_op(index);
}

void Run::try_again_later(OpIndex index) {
  Op& op = ops_[index];
  op.not_before = interrupt_.clock() + backoff_seconds(++op.pauses);
  sleeping_.push_back(index);
}

void Run::reopen(OpIndex index) {
  Op& op = ops_[index];
  const std::int64_t file = op.file->file;
  const ReadContext context = context_of(op);
  if (!op.file->stale && !pool_.mark_stale(file)) {
    fail(read_fault(context, ESTALE));
    return release_op(index);
  }
  Result<OpenFile*> opened = pool_.acquire(file);
  if (!opened.ok()) {
    fail(std::move(opened).status());
    return release_op(index);
  }
  if (*opened == nullptr) return try_again_later(index);
  Result<Ready> direct = op.mode == Mode::direct ? ready_for_direct(**opened) : Result<Ready>(Ready::no);
  if (!direct.ok()) {
    fail(std::move(direct).status());
    return release_op(index);
  }
  if (*direct == Ready::later) return try_again_later(index);
  if (*direct == Ready::no) become_buffered(op, nullptr);
  DescriptorPool::pin(**opened);
  pool_.unpin(*std::exchange(op.file, *opened));
  counters_.add_retry(op.file->file);
  ready_.push_back(index);
}

/// The rest of a request is read buffered, straight into its destinations.
void Run::become_buffered(Op& op, const char* why) {
  op.way = Way::buffered;
  op.mode = Mode::buffered;
  op.block.release();
  if (why != nullptr) counters_.add_fallback(op.file->file, why);
}

void Run::finish_op(OpIndex index) {
  const Op& op = ops_[index];
  const std::uint64_t first = op.first_read;
  const std::int64_t from = op.offset;
  const std::int64_t to = op.offset + op.bytes;
  if (op.trial != nullptr) op.trial->add(op.way, op.bytes, interrupt_.clock() - op.started);
  if (op.cold || op.way == Way::direct) ramp_.add(op.bytes, interrupt_.clock());
  const bool through_block = op.block.valid();
  spare_page_cache(op);
  release_op(index);
  credit(first, from, to, through_block);
}

/// Takes the bytes [from, to) off the reads they belong to, and hands back those that lack nothing any more.
void Run::credit(std::uint64_t first_read, std::int64_t from, std::int64_t to, bool through_block) {
  for (std::uint64_t i = first_read; from < to; ++i) {
    ReadQueue::Pending& pending = queue_[i];
    const std::int64_t begin = std::max(from, pending.read.offset);
    const std::int64_t end = pending.read.offset + static_cast<std::int64_t>(pending.read.destination.size());
    const std::int64_t take = std::min(end, to) - begin;
    from = begin + take;
    pending.missing -= take;
    count_landed(pending.read, take, through_block);
    if (pending.missing > 0) continue;
    later_ = false;
    if (Status done = source_.done(pending.read); !done.ok()) return fail(std::move(done));
  }
  queue_.retire();
}

void Run::release_op(OpIndex index) {
  Op& op = ops_[index];
  op.block.release();
  --live_;
  live_bytes_ -= op.queued_bytes;
  if (op.mode == Mode::nowait) asking_ = false;
  if (op.resident) resident_bytes_ -= op.bytes;
  pool_.unpin(*std::exchange(op.file, nullptr));
  free_.push_back(index);
}

ReadContext Run::context_of(const Op& op) const {
  ReadContext context;
  context.path = op.file->path;
  context.shard = files_[static_cast<std::size_t>(op.file->file)].shard;
  context.offset = op.offset + op.arrived;
  context.bytes = op.bytes - op.arrived;
  context.way = to_string(op.way);
  context.backend = op.way == Way::mapped ? std::string_view("mmap") : std::string_view(tools_.backend_name);
  context.attempt = op.tries;
  context.attempts = tools_.settings.retries + 1;
  return context;
}

void Run::count_landed(const Read& read, std::int64_t bytes, bool through_block) {
  const bool staged = read.staged || through_block;
  counters_.add_landed(read.file, bytes, staged);
}

void Run::spare_page_cache(const Op& op) const {
  if (!op.cold || op.way != Way::buffered || tools_.settings.page_cache != "spare") return;
  // From the start of the window: a large folio goes only as a whole. Also after an uncached read: what read-ahead
  // brought in for two requests at once stays otherwise.
  const std::int64_t start = round_down(op.offset, kWindowBytes);
  ::posix_fadvise(op.file->buffered.get(), start, op.offset + op.bytes - start, POSIX_FADV_DONTNEED);
}

}  // namespace loadstone::io
