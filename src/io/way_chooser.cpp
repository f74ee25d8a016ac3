#include "io/way_chooser.hpp"

#include "core/checked.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

namespace loadstone::io {
namespace {

constexpr std::int64_t kPageBytes = 4096;
// Counting cached pages costs 10 to 40 ns each, 2 to 7 % of the time that copying them takes: of every piece the last
// of these many bytes stand for all where they are resident. Counting where nothing is cached costs nothing.
constexpr std::int64_t kSampleBytes = std::int64_t{64} * 1024;
// The pages of a header or of a neighbour's edge make no window mixed: asking about each piece of it costs 16 system
// calls, reading a sixteenth of it once more a sixteenth of a piece's time at most.
constexpr std::int64_t kFewCached = 16;

/// Pages that a range of a file of this size has.
std::int64_t pages_in(std::int64_t start, std::int64_t bytes, std::int64_t file_bytes) {
  const std::int64_t end = std::min(start + bytes, file_bytes);
  return end <= start ? 0 : (end - start + kPageBytes - 1) / kPageBytes;
}

PieceState state_of(const Residency& residency, std::int64_t pages) {
  if (residency.dirty > 0 || residency.writeback > 0) return PieceState::busy;
  if (residency.cached >= pages) return PieceState::resident;
  return 2 * residency.cached >= pages ? PieceState::half : PieceState::cold;
}

/// What a window is called in the statistics.
std::string_view name_of(const std::array<PieceState, kPieces>& pieces) {
  const PieceState first = pieces.front();
  if (!std::all_of(pieces.begin(), pieces.end(), [&](PieceState state) { return state == first; })) return "mixed";
  switch (first) {
    case PieceState::busy:
      return "busy";
    case PieceState::resident:
      return "resident";
    case PieceState::cold:
      return "cold";
    case PieceState::half:
      return "mixed";
    case PieceState::ask:
      break;
  }
  return "unknown";
}

}  // namespace

WayRules WayRules::from(const EngineSettings& settings) {
  WayRules rules;
  if (settings.direct == "on") rules.direct = Direct::on;
  if (settings.direct == "off") rules.direct = Direct::off;
  if (settings.direct == "require") rules.direct = Direct::require;
  rules.mapped = settings.mapped != "off";
  return rules;
}

WayChooser::WayChooser(WayRules rules, Counters& counters, ResidencyQuestions questions)
    : rules_(rules), counters_(counters), questions_(std::move(questions)) {}

Stretch WayChooser::at(OpenFile& file, std::int64_t offset) {
  const std::int64_t window = offset / kWindowBytes;
  if (file.window.window != window) {
    file.window.window = window;
    look(file);
  }
  return stretch_at(file.window, offset);
}

void WayChooser::answer(OpenFile& file, std::int64_t offset, bool resident) {
  if (file.window.window != offset / kWindowBytes) return;
  file.window.pieces.fill(resident ? PieceState::half : PieceState::cold);
}

bool WayChooser::direct_allowed(const FsFacts& facts) const {
  switch (rules_.direct) {
    case WayRules::Direct::off:
      return false;
    case WayRules::Direct::on:
    case WayRules::Direct::require:
      return true;
    case WayRules::Direct::automatic:
      break;
  }
  if (facts.fs_class == FsClass::memory || facts.fs_class == FsClass::network) return false;
  return facts.dio_known ? facts.offset_align > 0 : true;
}

bool WayChooser::mapped_allowed(const FsFacts& facts) const {
  return rules_.mapped && (facts.fs_class == FsClass::local || facts.fs_class == FsClass::memory);
}

WayChooser::Trust WayChooser::trust(const OpenFile& file) {
  const auto found = trust_.find(file.facts.device);
  if (found != trust_.end()) return found->second;
  const Residency first = questions_.residency(file.buffered.get(), 0, 1);
  Trust trust = Trust::told;
  if (first.error != 0) {
    trust = Trust::silent;
  } else if (!questions_.is_true(file.buffered.get())) {
    trust = Trust::unknown;
  }
  // Permission is a matter of the single file, everything else one of the system.
  if (first.error != EPERM) trust_.emplace(file.facts.device, trust);
  return trust;
}

void WayChooser::look(OpenFile& file) {
  ask(file);
  ++counters_.windows[std::string(name_of(file.window.pieces))];
}

void WayChooser::ask(OpenFile& file) {
  auto& pieces = file.window.pieces;
  const bool forced = rules_.direct == WayRules::Direct::on || rules_.direct == WayRules::Direct::require;
  if (forced || file.facts.fs_class == FsClass::network) return pieces.fill(PieceState::cold);
  const double started = steady_seconds();
  switch (trust(file)) {
    case Trust::told:
      look_at_pieces(file, file.window.window * kWindowBytes);
      break;
    case Trust::silent:
      fill_untold(file);
      break;
    case Trust::unknown:
      pieces.fill(PieceState::cold);
      break;
  }
  counters_.seconds_probing += steady_seconds() - started;
}

void WayChooser::fill_untold(OpenFile& file) const {
  file.window.pieces.fill(direct_allowed(file.facts) ? PieceState::ask : PieceState::cold);
}

/// Whether all samples are cached and clean.
bool WayChooser::samples_are_resident(const OpenFile& file, std::int64_t start) {
  const std::int64_t end = std::min(start + kWindowBytes, file.bytes);
  for (std::int64_t piece = start; piece < end; piece += kPieceBytes) {
    const std::int64_t last = std::min(piece + kPieceBytes, end);
    const std::int64_t first = std::max(piece, round_down(last - kSampleBytes, kPageBytes));
    const Residency told = questions_.residency(file.buffered.get(), first, last - first);
    if (told.error != 0 || state_of(told, pages_in(first, last - first, end)) != PieceState::resident) return false;
  }
  return true;
}

void WayChooser::look_at_pieces(OpenFile& file, std::int64_t start) {
  auto& pieces = file.window.pieces;
  if (samples_are_resident(file, start)) return pieces.fill(PieceState::resident);
  const int fd = file.buffered.get();
  const Residency whole = questions_.residency(fd, start, kWindowBytes);
  const std::int64_t pages = pages_in(start, kWindowBytes, file.bytes);
  // Others of the mount may be asked about, this one not.
  if (whole.error != 0) return fill_untold(file);
  const bool clean = whole.dirty == 0 && whole.writeback == 0;
  if (!clean || kFewCached * whole.cached < pages || whole.cached >= pages) {
    return pieces.fill(state_of(whole, pages));
  }
  if (file.facts.fs_class != FsClass::local) return pieces.fill(PieceState::half);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::int64_t at = start + static_cast<std::int64_t>(i) * kPieceBytes;
    pieces[i] = state_of(questions_.residency(fd, at, kPieceBytes),
                         std::max<std::int64_t>(1, pages_in(at, kPieceBytes, file.bytes)));
  }
}

}  // namespace loadstone::io
