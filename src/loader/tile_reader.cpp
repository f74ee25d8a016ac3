#include "loader/tile_reader.hpp"

#include "loader/lost_value.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/interrupt.hpp"
#include "core/transfer.hpp"

namespace loadstone::loader {
namespace {

// A staged run stands in its block as it stands in the file modulo this, so that direct reads need no copy of their
// own.
constexpr std::int64_t kDirectAlignment = 4096;
static_assert(kDirectAlignment <= plan::kEdgeBytes);

/// Calls `use(file offset, packed offset, bytes)` for each range of wanted bytes of a staged piece: what is read of
/// gaps between them is nobody's to sum.
template <class Use>
void for_each_wanted_range(const plan::Piece& piece, const Use& use) {
  const std::vector<plan::MoveAxis>& axes = piece.move.axes;
  const std::vector<CopyAxis> packed = piece.copy_axes();
  std::size_t outer = axes.size();
  std::int64_t bytes = piece.move.file_itemsize;
  while (outer > 0 && axes[outer - 1].file_stride == bytes) bytes *= axes[--outer].count;
  std::vector<std::int64_t> at(outer, 0);
  while (true) {
    std::int64_t in_file = piece.move.file_offset;
    std::int64_t in_block = 0;
    for (std::size_t i = 0; i < outer; ++i) {
      in_file += at[i] * axes[i].file_stride;
      in_block += at[i] * packed[i].source_stride;
    }
    use(in_file, in_block, bytes);
    std::size_t axis = outer;
    while (axis > 0 && ++at[axis - 1] == axes[axis - 1].count) at[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

TileReader::TileReader(Context context)
    : context_(std::move(context)), placers_(context_.pool == nullptr ? 1 : context_.threads) {}

const Shard& TileReader::shard(std::int64_t index) const {
  return context_.problem->dataset->shards[static_cast<std::size_t>(index)];
}

bool TileReader::fetch_piece() {
  next_run_ = 0;
  while (true) {
    if (cursor_) {
      piece_ = cursor_->next();
      if (piece_) return true;
      cursor_.reset();
    }
    if (next_move_ == context_.moves.size()) return false;
    const plan::Move& move = context_.moves[next_move_++];
    cursor_.emplace(move, plan::must_stage(*context_.problem, move.shard), context_.sizes);
  }
}

bool TileReader::stage_piece() {
  auto lease = context_.pool->try_lease();
  if (!lease.ok() || !lease->valid()) return false;
  if (idle_slots_.empty()) {
    idle_slots_.push_back(slots_.size());
    slots_.emplace_back();
  }
  slot_ = idle_slots_.back();
  idle_slots_.pop_back();
  Slot& slot = slots_[slot_];
  slot = {*piece_, std::move(lease).value(), {}, piece_->runs, 0};
  slot.bytes = slot.lease.bytes().subspan(static_cast<std::size_t>(piece_->run_offset(0) % kDirectAlignment));
  return true;
}

void TileReader::hand_out(io::Read& read) {
  const plan::Piece& piece = *piece_;
  const auto bytes = static_cast<std::size_t>(piece.run_bytes);
  read.file = shard(piece.move.shard).file - context_.first_file;
  read.offset = piece.run_offset(next_run_);
  read.staged = !piece.in_place;
  read.tag = piece.in_place ? static_cast<std::uint64_t>(piece.move.shard) : slot_;
  const std::size_t at =
      static_cast<std::size_t>(piece.in_place ? piece.run_tile_offset(next_run_) : next_run_ * piece.run_bytes);
  read.destination = piece.in_place ? context_.tile.subspan(at, bytes) : slots_[slot_].bytes.subspan(at, bytes);
  left_in_round_ -= piece.run_bytes;
  ++in_flight_;
  if (++next_run_ == piece.runs) piece_.reset();
}

/// A block for the piece under way: `read` if it has one now, `later` if one comes back with a read that is in flight.
io::ReadSource::Next TileReader::find_block() {
  while (!stage_piece()) {
    const bool wait = in_flight_ == 0;  // then only a placing thread can give a block back
    if (wait && !placers_.busy()) {
      placing_failed_ = Fault{.code = Code::internal, .kind = "staging", .message = "no staging block is to be had"};
      return Next::end;
    }
    const std::size_t idle_before = idle_slots_.size();
    placing_failed_ = take_placed(wait);
    if (!placing_failed_.ok()) return Next::end;
    if (!wait && idle_slots_.size() == idle_before) return Next::later;
  }
  return Next::read;
}

io::ReadSource::Next TileReader::next(io::Read& read) {
  if (!placing_failed_.ok()) return Next::end;
  if (!piece_) {
    if (left_in_round_ <= 0 || !fetch_piece()) return Next::end;
  }
  if (next_run_ == 0 && !piece_->in_place) {
    if (const Next found = find_block(); found != Next::read) return found;
  }
  hand_out(read);
  return Next::read;
}

Status TileReader::place(Slot& slot) const {
  const double start = steady_seconds();
  const plan::Piece& piece = slot.piece;
  const DType& stored = shard(piece.move.shard).dtype;
  const std::vector<CopyAxis> axes = piece.copy_axes();
  const auto lost = copy_elements(slot.bytes.data(), stored, context_.tile.data() + piece.move.tile_offset,
                                  context_.problem->result_dtype, axes, context_.problem->casting,
                                  {context_.kernels, static_cast<std::int64_t>(context_.tile.size())});
  slot.place_seconds = steady_seconds() - start;
  if (lost) return lost_value(*context_.problem, piece, slot.bytes, *lost);
  return {};
}

/// Gives back the blocks of pieces that have been placed.
Status TileReader::take_placed(bool wait) {
  Status first;
  for (Placers::Finished& finished : placers_.take(wait)) {
    Slot& slot = slots_[finished.slot];
    place_seconds_ += slot.place_seconds;
    slot.lease.release();
    idle_slots_.push_back(finished.slot);
    if (first.ok() && !finished.status.ok()) first = std::move(finished.status);
  }
  return first;
}

Status TileReader::finish_placing() {
  Status first = std::move(placing_failed_);
  while (placers_.busy()) {
    Status status = take_placed(true);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

void TileReader::sum_up(const Slot& slot) {
  for_each_wanted_range(slot.piece, [&](std::int64_t in_file, std::int64_t in_block, std::int64_t bytes) {
    const auto range = slot.bytes.subspan(static_cast<std::size_t>(in_block), static_cast<std::size_t>(bytes));
    context_.sums->add(slot.piece.move.shard, in_file, range);
  });
}

Status TileReader::done(const io::Read& read) {
  --in_flight_;
  bytes_read_ += static_cast<std::int64_t>(read.destination.size());
  if (context_.sums != nullptr && !read.staged) {
    context_.sums->add(static_cast<std::int64_t>(read.tag), read.offset, read.destination);
  }
  if (context_.progress) context_.progress(bytes_read_);
  if (!read.staged) return {};
  Slot& slot = slots_[read.tag];
  if (--slot.runs_left > 0) return {};
  if (context_.sums != nullptr) sum_up(slot);
  placers_.submit(read.tag, [this, &slot] { return place(slot); });
  return take_placed(false);
}

Status TileReader::poll() {
  if (context_.agreement != nullptr && context_.agreement->peer_has_failed()) return comm::Agreement::peer_failed();
  return {};
}

}  // namespace loadstone::loader
