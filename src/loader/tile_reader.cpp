#include "loader/tile_reader.hpp"

#include "loader/lost_value.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/transfer.hpp"

namespace loadstone::loader {
namespace {

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

TileReader::TileReader(Context context) : context_(std::move(context)) {
  for (const plan::Move& move : context_.moves) bytes_expected_ += move.wanted_bytes();
}

TileReader::~TileReader() {
  while (placing()) context_.stager->collect(true);
}

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
  const std::optional<std::size_t> slot = context_.stager->try_stage(*this, *piece_);
  if (slot) slot_ = *slot;
  return slot.has_value();
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
  read.destination =
      piece.in_place ? context_.tile.subspan(at, bytes) : (*context_.stager)[slot_].bytes.subspan(at, bytes);
  left_in_round_ -= piece.run_bytes;
  context_.stager->read_begun();
  if (++next_run_ == piece.runs) piece_.reset();
}

/// A block for the piece under way: `read` if it has one now, `later` if one comes back with a read that is in flight.
io::ReadSource::Next TileReader::find_block() {
  Stager& stager = *context_.stager;
  while (!stage_piece()) {
    const bool wait = stager.reads_in_flight() == 0;  // then only a placing thread can give a block back
    if (wait && !stager.placing()) {
      placing_failed_ = Fault{.code = Code::internal, .kind = "staging", .message = "no staging block is to be had"};
      return Next::end;
    }
    const bool came_back = stager.collect(wait);
    if (!placing_failed_.ok()) return Next::end;
    if (!wait && !came_back) return Next::later;
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

Status TileReader::place(const Stager::Staged& staged) const {
  const plan::Piece& piece = staged.piece;
  const DType& stored = shard(piece.move.shard).dtype;
  const std::vector<CopyAxis> axes = piece.copy_axes();
  const auto lost = copy_elements(staged.bytes.data(), stored, context_.tile.data() + piece.move.tile_offset,
                                  context_.problem->result_dtype, axes, context_.problem->casting,
                                  {context_.kernels, static_cast<std::int64_t>(context_.tile.size())});
  if (lost) return lost_value(*context_.problem, piece, staged.bytes, *lost);
  return {};
}

void TileReader::placed(Status status, double seconds) {
  --placing_;
  place_seconds_ += seconds;
  if (placing_failed_.ok()) placing_failed_ = std::move(status);
}

Status TileReader::finish_placing() {
  while (placing()) context_.stager->collect(true);
  return std::move(placing_failed_);
}

void TileReader::sum_up(const Stager::Staged& staged) {
  for_each_wanted_range(staged.piece, [&](std::int64_t in_file, std::int64_t in_block, std::int64_t bytes) {
    const auto range = staged.bytes.subspan(static_cast<std::size_t>(in_block), static_cast<std::size_t>(bytes));
    context_.sums->add(staged.piece.move.shard, in_file, range);
  });
}

Status TileReader::done(const io::Read& read) {
  Stager& stager = *context_.stager;
  stager.read_done();
  bytes_read_ += static_cast<std::int64_t>(read.destination.size());
  if (context_.sums != nullptr && !read.staged) {
    context_.sums->add(static_cast<std::int64_t>(read.tag), read.offset, read.destination);
  }
  if (context_.progress) context_.progress(bytes_read_);
  if (!read.staged) return {};
  Stager::Staged& staged = stager[read.tag];
  if (--staged.runs_left > 0) return {};
  if (context_.sums != nullptr) sum_up(staged);
  stager.submit(read.tag);
  ++placing_;
  stager.collect(false);
  return placing_failed_.ok() ? Status() : placing_failed_.clone();
}

Status TileReader::poll() {
  if (context_.agreement != nullptr && context_.agreement->peer_has_failed()) return comm::Agreement::peer_failed();
  return {};
}

}  // namespace loadstone::loader
