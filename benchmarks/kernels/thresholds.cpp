#include "thresholds.hpp"

#include "core/kernels.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace bench {
namespace {

using loadstone::CopyAxis;
using loadstone::CopyThresholds;
using loadstone::DType;

DType bytes_type() { return *loadstone::parse_dtype("|u1"); }

/// Sizes from a quarter to four times a threshold.
std::vector<std::int64_t> sizes_around(std::int64_t value) {
  std::vector<std::int64_t> sizes;
  for (const auto& [times, over] : {std::pair{1, 4}, {3, 8}, {1, 2}, {3, 4}, {1, 1}, {3, 2}, {2, 1}, {3, 1}, {4, 1}}) {
    sizes.push_back(value * times / over);
  }
  return sizes;
}

using MakePair = std::function<Pair(std::int64_t size)>;

Threshold make(std::string name, std::string ways, std::int64_t value, const MakePair& pair) {
  Threshold threshold{std::move(name), std::move(ways), value, {}};
  for (const std::int64_t size : sizes_around(value)) threshold.pairs.push_back(pair(size));
  return threshold;
}

Trial with(Trial trial, const CopyThresholds& thresholds) {
  trial.thresholds = thresholds;
  return trial;
}

Trial contiguous(std::int64_t size, std::int64_t parts) {
  return {bytes_type(), bytes_type(), {{size, 1, 1}}, {}, parts};
}

/// The same bytes again and again: what fits is in the cache.
Threshold total(std::int64_t most) {
  return make("stream_total_bytes()", "a copy, ordinary | past the cache", loadstone::stream_total_bytes(),
              [&](std::int64_t size) {
                const Trial trial = contiguous(std::min(size, most), 1);
                return Pair{size, with(trial, in_cache()), with(trial, past_cache())};
              });
}

/// Parts of a copy of all the memory, each fenced by itself.
Threshold fenced(std::int64_t most) {
  return make("kFencedBytes", "a part, ordinary | past the cache, fenced", loadstone::kFencedBytes,
              [&](std::int64_t size) {
                const Trial trial = contiguous(size, std::max<std::int64_t>(1, most / size));
                return Pair{size, with(trial, in_cache()), with(trial, past_cache())};
              });
}

/// Thresholds of a copy past the cache of which runs of a size are short, or are long.
std::pair<CopyThresholds, CopyThresholds> short_and_long(std::int64_t CopyThresholds::* threshold, std::int64_t size) {
  std::pair<CopyThresholds, CopyThresholds> both{past_cache(), past_cache()};
  both.first.*threshold = size + 1;
  both.second.*threshold = size;
  return both;
}

/// Runs that are apart, by no multiple of a line, on one side, and dense on the other: they begin anywhere.
Trial runs_apart(std::int64_t most, std::int64_t size, bool in_source) {
  const std::int64_t apart = 2 * size + 16;
  const CopyAxis runs{most / apart, in_source ? apart : size, in_source ? size : apart};
  return {bytes_type(), bytes_type(), {runs, {size, 1, 1}}, {}, 1};
}

Threshold gathered(std::int64_t most, const loadstone::CopyKernels& set) {
  return make("gathered_run_bytes()", "runs gathered by rows | one by one", loadstone::gathered_run_bytes(set),
              [&](std::int64_t size) {
                const Trial trial = runs_apart(most, size, true);
                const auto [shorter, longer] = short_and_long(&CopyThresholds::gathered_run_bytes, size);
                return Pair{size, with(trial, shorter), with(trial, longer)};
              });
}

Threshold scattered(std::int64_t most) {
  return make("kStreamRunBytes", "runs scattered, ordinary | past the cache", loadstone::kStreamRunBytes,
              [&](std::int64_t size) {
                const Trial trial = runs_apart(most, size, false);
                const auto [shorter, longer] = short_and_long(&CopyThresholds::stream_run_bytes, size);
                return Pair{size, with(trial, shorter), with(trial, longer)};
              });
}

/// Two memory orders, of 512 columns of runs.
Threshold tiled(std::int64_t most) {
  return make("kLongestTiledRun", "two orders, tiles | runs one by one", loadstone::kLongestTiledRun,
              [&](std::int64_t size) {
                const std::int64_t columns = std::min<std::int64_t>(512, most / size);
                const std::int64_t rows = most / size / columns;
                const Trial trial{bytes_type(),
                                  bytes_type(),
                                  {{rows, size, columns * size}, {columns, rows * size, size}, {size, 1, 1}},
                                  {},
                                  1};
                const auto [shorter, longer] = short_and_long(&CopyThresholds::tiled_run_bytes, size);
                return Pair{size, with(trial, shorter), with(trial, longer)};
              });
}

/// Column- to row-major.
Trial reordered(const char* text, std::int64_t bytes, std::int64_t columns) {
  const DType item = *loadstone::parse_dtype(text);
  columns = std::min(columns, bytes / item.itemsize);
  const std::int64_t rows = bytes / item.itemsize / columns;
  return {item,
          item,
          {{rows, item.itemsize, columns * item.itemsize}, {columns, rows * item.itemsize, item.itemsize}},
          past_cache(),
          1};
}

}  // namespace

std::vector<Threshold> make_thresholds(std::int64_t bytes, const loadstone::CopyKernels& set) {
  return {total(bytes), fenced(bytes), gathered(bytes, set), scattered(bytes), tiled(bytes)};
}

std::vector<Choice> make_choices(std::int64_t bytes) {
  Choice side{"kTileSideBytes", loadstone::kTileSideBytes, {}, {}};
  side.others = {side.value / 2, side.value * 2};
  for (const char* const text : {"|u1", "<i2", "<f4", "<f8", "<c16"}) {
    for (const std::int64_t columns : {512, 4096}) {
      std::vector<Trial> row;
      for (const std::int64_t bytes_a_side : {side.value, side.value / 2, side.value * 2}) {
        row.push_back(reordered(text, bytes, columns));
        row.back().thresholds.tile_side_bytes = bytes_a_side;
      }
      side.trials.push_back(std::move(row));
    }
  }
  return {side};
}

}  // namespace bench
