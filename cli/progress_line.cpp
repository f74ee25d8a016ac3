#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace loadstone::cli {
namespace {

constexpr double kSecondsBetween = 0.1;
constexpr const char* kErase = "\r\x1b[K";

Progress sum_of(const std::vector<Progress>& ranks) {
  Progress sum;
  for (const Progress& rank : ranks) {
    sum.bytes_done += rank.bytes_done;
    sum.bytes_wanted += rank.bytes_wanted;
    sum.seconds = std::max(sum.seconds, rank.seconds);
  }
  return sum;
}

}  // namespace

std::string progress_text(const Progress& progress) {
  const auto done = static_cast<double>(progress.bytes_done);
  const auto wanted = static_cast<double>(progress.bytes_wanted);
  const double percent = wanted > 0 ? std::floor(100 * std::min(1.0, done / wanted)) : 100;
  const double rate = progress.seconds > 0 ? done / progress.seconds : 0;
  std::string text = fmt::format("{:3.0f} %  {} of {}  {:.2f} GB/s", percent, format_bytes(progress.bytes_done),
                                 format_bytes(progress.bytes_wanted), rate / 1e9);
  if (rate > 0) text += fmt::format("  {:.0f} s left", std::ceil(std::max(0.0, wanted - done) / rate));
  return text;
}

ProgressLine::ProgressLine(std::FILE* stream, int ranks)
    : stream_(stream), ranks_(static_cast<std::size_t>(std::max(1, ranks))) {}

ProgressLine::~ProgressLine() { erase(); }

ProgressCallback ProgressLine::callback(int rank) {
  return [self = shared_from_this(), rank](const Progress& progress) { self->update(rank, progress); };
}

void ProgressLine::update(int rank, const Progress& progress) {
  const std::scoped_lock lock(mutex_);
  if (static_cast<std::size_t>(rank) >= ranks_.size()) return;
  ranks_[static_cast<std::size_t>(rank)] = progress;
  const Progress sum = sum_of(ranks_);
  if (last_shown_s_ >= 0 && sum.seconds < last_shown_s_ + kSecondsBetween) return;
  last_shown_s_ = sum.seconds;
  visible_ = true;
  fmt::print(stream_, "{}{}", kErase, progress_text(sum));
  std::fflush(stream_);
}

void ProgressLine::erase() {
  const std::scoped_lock lock(mutex_);
  if (!visible_) return;
  visible_ = false;
  last_shown_s_ = -1;
  fmt::print(stream_, "{}", kErase);
  std::fflush(stream_);
}

std::shared_ptr<ProgressLine> make_progress_line(bool quiet, int ranks) {
  if (quiet || ::isatty(STDERR_FILENO) == 0) return nullptr;
  return std::make_shared<ProgressLine>(stderr, ranks);
}

}  // namespace loadstone::cli
