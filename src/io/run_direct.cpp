// Direct reads: whether they can be had, how they are cut and aligned, and how a short one goes on.
#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "io/faults.hpp"
#include "io/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace loadstone::io {
namespace {

constexpr std::size_t kMaxPieces = 512;  // destinations of one request
// A direct run below this is one rounded-out request: a second request costs more than copying 64 KiB.
constexpr std::int64_t kMinDirectInPlace = std::int64_t{64} * 1024;
constexpr std::int64_t kEdgeBytes = kMinDirectInPlace;
// Reading a gap beats another request up to bandwidth times the cost of one: 2 GB/s x 30 us.
constexpr std::int64_t kCloseBytes = std::int64_t{64} * 1024;
constexpr std::int64_t kMaxBlocks = 64;
constexpr std::int64_t kBlocksShare = 8;  // of the budget: one part in so many
constexpr std::int64_t kEdgesShare = 4;   // and of that
constexpr std::int64_t kFewEdges = 8;
constexpr std::int64_t kPageBytes = 4096;  // what blocks of a pool are aligned to

/// How many of these bytes stand before the next address that is a multiple of `align`.
std::int64_t bytes_before_boundary(const void* at, std::int64_t align) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at));
  return round_up(address, align) - address;
}

bool is_aligned(const void* at, std::int64_t align) { return bytes_before_boundary(at, align) == 0; }

/// What a block takes beside the bytes wanted: rounding outward, and a start that the pool's pages may not have.
std::int64_t block_bytes(const FsFacts& facts, std::int64_t wanted) {
  return wanted + 2 * offset_align(facts) + std::max<std::int64_t>(0, memory_align(facts) - kPageBytes);
}

}  // namespace

bool Run::direct_is_required() const noexcept { return tools_.chooser.rules().direct == WayRules::Direct::require; }

Result<Run::Ready> Run::ready_for_direct(OpenFile& file) {
  if (pool_.direct_refused(file.file)) return Ready::no;
  int error = 0;
  Result<DirectOpen> opened = pool_.open_direct(file, &error);
  if (!opened.ok()) return std::move(opened).status();
  Status fallen_back;
  switch (*opened) {
    case DirectOpen::open:
      return Ready::yes;
    case DirectOpen::full:
      // What comes home gives its descriptors back.
      if (direct_is_required() && live_ > 0) return Ready::later;
      fallen_back = fall_back(file, "not possible", "no descriptor is left", EMFILE);
      break;
    case DirectOpen::refused:
      fallen_back = on_direct_refused(file, error);
      break;
    case DirectOpen::moved:
      fallen_back = fall_back(file, "not possible", "the name leads to another file by now");
      break;
  }
  if (!fallen_back.ok()) return fallen_back;
  return Ready::no;
}

Status Run::on_direct_refused(const OpenFile& file, int error) {
  pool_.refuse_direct(file.file);
  return fall_back(file, "refused", errno_name(error), error);
}

/// Something of a file is read buffered that was to be read directly: a failure where direct I/O is required, else
/// counted once a file.
Status Run::fall_back(const OpenFile& file, std::string_view what, std::string_view reason, int error) {
  const std::string_view fs_class = to_string(file.facts.fs_class);
  if (!direct_is_required()) {
    const bool is_new = fallen_back_.emplace(file.file, reason).second;
    if (is_new) counters_.add_fallback(file.file, fmt::format("direct {} on {}: {}", what, fs_class, reason));
    return {};
  }
  const std::string remedy =
      is_out_of_descriptors(error) ? std::string(kMoreDescriptors) : "Use " + named(Option::io_direct, "auto");
  Fault fault = make_fault(
      Code::io, "shard.unreadable", file.path,
      fmt::format("direct I/O was required and {}: {} (file system class {})", what, reason, fs_class), remedy, error);
  const std::int64_t shard = files_[static_cast<std::size_t>(file.file)].shard;
  if (shard >= 0) fault.shard = shard;
  return fault;
}

/// A run is cut at multiples of the offset alignment: its middle lands in place if the addresses allow it, its edges
/// are rounded outward into a block.
Run::Cut Run::issue_direct(OpenFile& file, std::int64_t most) {
  const std::int64_t align = offset_align(file.facts);
  const Range run = queue_.peek(std::min(most, request_bytes_), 1);
  const std::byte* const target =
      queue_[run.first_read].read.destination.data() + (run.offset - queue_[run.first_read].read.offset);
  const std::int64_t head = round_up(run.offset, align) - run.offset;
  const std::int64_t middle = round_down(run.bytes - head, align);
  if (middle < kMinDirectInPlace) return issue_short_run(file, most);
  if (!is_aligned(target + head, memory_align(file.facts))) {
    return issue_into_block(file, std::min(most, request_bytes_), false);
  }
  if (head > 0) return issue_into_block(file, head, true);
  const OpIndex index = new_op(file, {run.file, run.offset, middle, run.first_read}, Way::direct, Mode::direct);
  ready_.push_back(index);
  return Cut::done;
}

/// The end of a run and the head of the next one, which touches it in the file and lands in place from the next
/// boundary on: as of two batches of a stream. 0 where it is not so.
std::int64_t Run::seam_bytes(const OpenFile& file) {
  const Range end = queue_.peek(kEdgeBytes, 1);
  if (!end.goes_on || end.bytes == kEdgeBytes) return 0;
  const Read& next = queue_[end.first_read + end.reads].read;
  if (next.offset != end.offset + end.bytes) return 0;
  const std::int64_t align = offset_align(file.facts);
  const std::int64_t head = round_up(next.offset, align) - next.offset;
  const std::int64_t middle = round_down(static_cast<std::int64_t>(next.destination.size()) - head, align);
  const bool in_place = is_aligned(next.destination.data() + head, memory_align(file.facts));
  return in_place && middle >= kMinDirectInPlace ? end.bytes + head : 0;
}

/// Short runs that touch, or nearly so, make a long one in a block. Others that are close to each other are read
/// buffered: read-ahead fetches many at once. What is left is one rounded-out request.
Run::Cut Run::issue_short_run(OpenFile& file, std::int64_t most) {
  const std::int64_t request = std::min(most, request_bytes_);
  if (const std::int64_t seam = seam_bytes(file); seam > 0) return issue_into_block(file, std::min(most, seam), true);
  if (queue_.peek(request, kMaxPieces).bytes >= 2 * kEdgeBytes) return issue_into_block(file, request, false);
  const Range run = queue_.peek(kEdgeBytes, kMaxPieces);
  const bool whole = run.offset == queue_[run.first_read].read.offset;  // not the tail of a long one
  const bool close = whole && run.gap > 0 && run.gap <= kCloseBytes;
  if (!close || direct_is_required()) return issue_into_block(file, std::min(most, kEdgeBytes), true);
  // Where the choice is ours this is one way of several, where it was asked for it must be told.
  const bool asked_for = tools_.chooser.rules().direct == WayRules::Direct::on;
  return issue_buffered_instead(file, most, asked_for ? "short runs lie close together" : "");
}

Run::Cut Run::issue_into_block(OpenFile& file, std::int64_t most, bool edge) {
  const std::int64_t align = offset_align(file.facts);
  Range range = queue_.peek(most, kMaxPieces);
  // Cut short of the run's end, the next request shall start on a boundary.
  const std::int64_t boundary = round_down(range.offset + range.bytes, align);
  if (range.goes_on && boundary > range.offset) range = queue_.peek(boundary - range.offset, kMaxPieces);
  bool exhausted = false;
  std::optional<StagingLease> block = lease_block(file, edge, &exhausted);
  if (exhausted) return Cut::stalled;
  if (!block && direct_is_required()) return fail_without_block(file, edge);
  if (!block) return issue_buffered_instead(file, range.bytes, "the budget has no room for a block");
  const OpIndex index = new_op(file, range, Way::direct, Mode::direct);
  land_in_block(ops_[index], std::move(*block));
  ready_.push_back(index);
  return Cut::done;
}

Run::Cut Run::fail_without_block(const OpenFile& file, bool edge) {
  const std::int64_t block = block_bytes(file.facts, edge ? kEdgeBytes : request_bytes_);
  const std::int64_t limit = tools_.ledger.limit_bytes();
  // A load takes more of a larger budget for other things as well, so one block more would not do.
  const std::int64_t enough = std::max(kBlocksShare * block, 2 * limit);
  Fault fault = make_fault(
      Code::budget, "budget", file.path,
      fmt::format("direct I/O was required, and the budget of {} bytes has no room for a block of {} bytes beside what "
                  "else it is for",
                  grouped(limit), grouped(block)),
      fmt::format("Raise {} to {} bytes, or use {}", named(Option::budget), grouped(enough),
                  named(Option::io_direct, "auto")));
  fault.item = "budget";
  fault.wanted = enough;
  fault.got = limit;
  fail(std::move(fault));
  return Cut::failed;
}

Run::Cut Run::issue_buffered_instead(OpenFile& file, std::int64_t most, std::string_view reason) {
  Status fallen_back = reason.empty() ? Status() : fall_back(file, "not possible", reason);
  if (fallen_back.ok()) return issue_buffered(file, most, true);
  fail(std::move(fallen_back));
  return Cut::failed;
}

/// A block for a rounded-out request. `exhausted`: all are in use, wait for one; neither: the budget has no room.
std::optional<StagingLease> Run::lease_block(const OpenFile& file, bool edge, bool* exhausted) {
  const std::int64_t bytes = block_bytes(file.facts, edge ? kEdgeBytes : request_bytes_);
  std::unique_ptr<StagingPool>& pool = edge ? tools_.memory.edges : tools_.memory.blocks;
  if (pool == nullptr || (pool->block_bytes() < bytes)) {
    if (pool != nullptr && live_ > 0) {
      *exhausted = true;
      return std::nullopt;
    }
    const std::int64_t share = tools_.ledger.limit_bytes() / kBlocksShare;
    if (share < bytes) return std::nullopt;
    // Edges shall not take what blocks need, but for a few.
    const std::int64_t fitting =
        edge ? std::clamp(share / kEdgesShare / bytes, std::min(kFewEdges, share / bytes), share / bytes)
             : share / bytes;
    const std::int64_t most = std::min(fitting, std::max(kMaxBlocks, tools_.settings.depth));
    pool = std::make_unique<StagingPool>(tools_.shelf, bytes, most, tools_.settings.huge_pages);
  }
  Result<StagingLease> lease = pool->try_lease();
  if (lease.ok() && lease->valid()) return std::move(*lease);
  *exhausted = pool->blocks_made() > 0;
  return std::nullopt;
}

/// What is missing of a request shall come into a block, rounded outward.
void Run::land_in_block(Op& op, StagingLease block) {
  const FsFacts& facts = op.file->facts;
  const std::int64_t align = offset_align(facts);
  op.block = std::move(block);
  op.block_filled = 0;
  op.block_offset = round_down(op.offset + op.arrived, align);
  std::byte* const memory = op.block.bytes().data();
  op.block_piece = {memory + bytes_before_boundary(memory, memory_align(facts)),
                    static_cast<std::size_t>(round_up(op.offset + op.bytes, align) - op.block_offset)};
}

/// Makes what is missing of a request a direct one: in place where it lies right, else through a block. False if no
/// block is to be had.
bool Run::make_direct(Op& op) {
  const FsFacts& facts = op.file->facts;
  const std::int64_t start = op.offset + op.arrived;
  const std::int64_t missing = op.bytes - op.arrived;
  const iovec& target = op.destinations[op.first_destination];
  const bool fits = std::cmp_equal(target.iov_len, missing) && is_aligned(target.iov_base, memory_align(facts)) &&
                    start % offset_align(facts) == 0 && missing % offset_align(facts) == 0;
  if (!fits) {
    bool exhausted = false;
    std::optional<StagingLease> block = lease_block(*op.file, missing <= kEdgeBytes, &exhausted);
    if (!block) return false;
    land_in_block(op, std::move(*block));
  }
  op.way = Way::direct;
  op.mode = Mode::direct;
  return true;
}

/// A short direct read goes on at the last boundary that it reached, so that it stays direct.
void Run::on_direct_bytes(OpIndex index, std::int64_t bytes) {
  Op& op = ops_[index];
  const std::int64_t missing = op.offset + op.bytes - op.next_offset();
  if (bytes >= missing) return op.block.valid() ? land_from_block(index) : on_bytes(index, missing);
  counters_.add_short_read(op.file->file);
  const FsFacts& facts = op.file->facts;
  const std::int64_t whole = round_down(bytes, std::max(offset_align(facts), memory_align(facts)));
  if (whole == 0) return on_direct_stuck(index);
  if (op.block.valid()) {
    op.block_filled += whole;
    op.block_piece = {static_cast<std::byte*>(op.block_piece.iov_base) + whole,
                      op.block_piece.iov_len - static_cast<std::size_t>(whole)};
  } else {
    op.advance(whole);
  }
  ready_.push_back(index);
}

/// Not even one boundary was reached: the file ends there, or direct reads lead no further.
void Run::on_direct_stuck(OpIndex index) {
  Op& op = ops_[index];
  const Result<FileIdentity> now = identity_of(op.file->buffered.get(), op.file->path);
  if (now.ok() && now->size < op.offset + op.bytes) return on_end_of_file(index);
  if (Status fallen_back = fall_back(*op.file, "not possible", "reads come back short"); !fallen_back.ok()) {
    fail(std::move(fallen_back));
    return release_op(index);
  }
  become_buffered(op, nullptr);
  ready_.push_back(index);
}

}  // namespace loadstone::io
